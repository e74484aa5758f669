// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.spi.FabricException;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Gives a session another connection when one has broken (rule G1): tries at once, then with growing pauses, until the memory node has
 * resumed or refused the session, or this process has closed it because its lease has run out. Belongs to the session's event loop.
 *
 * <p>A candidate that stands still accepts connections and answers nothing. It keeps the session from no other candidate: an attempt
 * without an answer goes on, and meanwhile the others are asked. Each attempt has a higher number than those before it, by which the memory
 * node tells which one counts.
 */
final class Resumption {
    private static final long FIRST_PAUSE_NANOS = 10_000_000;
    private static final long LONGEST_PAUSE_NANOS = 80_000_000;
    /** How long an attempt remains the only one, where there are other places to try. */
    private static final long ALONE_NANOS = 250_000_000;

    private final TcpFabric fabric;
    private final TcpSession session;
    private final EventLoop loop;
    /** Number of different places that attempts go to in turn. */
    private final int places;
    /** The attempts under way, each at another place. */
    private final List<Attempt> open = new ArrayList<>();

    private int attempts;
    /** Attempts since the connection broke. */
    private int tries;

    private long pauseNanos;
    /** Whether an attempt will be made after a pause. */
    private boolean planned;

    /** Counts the breaks and resumptions of the connection, so that a timer of an earlier one does nothing. */
    private int turn;

    Resumption(TcpFabric fabric, TcpSession session, EventLoop loop) {
        this.fabric = fabric;
        this.session = session;
        this.loop = loop;
        this.places = TcpFabric.placesToReconnect(session.address());
    }

    /**
     * Begins to try.
     *
     * @param elsewhere whether to begin with another candidate, if there is one, than the one that fell silent
     */
    void begin(boolean elsewhere) {
        turn++;
        planned = false;
        pauseNanos = FIRST_PAUSE_NANOS;
        tries = elsewhere && !session.address().others().isEmpty() ? 1 : 0;
        attempt();
    }

    /** Ends the attempts that are under way. */
    void stop(FabricException why) {
        List<Attempt> ending = List.copyOf(open);
        open.clear();
        ending.forEach(attempt -> attempt.connection.close(why));
    }

    private void attempt() {
        if (session.isOver() || open.size() == places) {
            return;
        }
        if (fabric.isClosed()) {
            session.end(TcpFabric.closedFabric());
            return;
        }
        do {
            tries++;
        } while (isBeingTried(placeOf(tries)));
        Attempt next = new Attempt(++attempts, placeOf(tries));
        open.add(next);
        fabric.reconnect(session, loop, next.connection, tries, why -> next.failed(why, false));
        later(next::giveUp, fabric.attemptNanos(session.address(), session.leaseNanos()));
        if (places > 1) {
            later(next::tryOthers, ALONE_NANOS);
        }
    }

    private int placeOf(int attempt) {
        return (attempt - 1) % places;
    }

    private boolean isBeingTried(int place) {
        return open.stream().anyMatch(attempt -> attempt.place == place);
    }

    private void again() {
        if (planned) {
            return;
        }
        planned = true;
        long pause = pauseNanos;
        pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        // Compute nodes that lost their connections at the same moment do not all return at the same moment.
        long spread = pause * session.joined().nodeId() / 512;
        later(this::plannedAttempt, pause + spread);
    }

    private void plannedAttempt() {
        planned = false;
        attempt();
    }

    private void later(Runnable task, long nanos) {
        int mine = turn;
        loop.schedule(
                () -> {
                    if (turn == mine) {
                        task.run();
                    }
                },
                nanos,
                TimeUnit.NANOSECONDS);
    }

    /** The session goes on with the connection of an attempt: the others are needed no more. */
    private void succeeded(Attempt attempt) {
        turn++;
        open.remove(attempt);
        stop(new FabricException("another connection has resumed the session"));
    }

    /** One attempt. */
    private final class Attempt implements Opening {
        final SessionConnection connection = new SessionConnection(fabric, session.node(), this);
        final int place;
        private final int number;

        Attempt(int number, int place) {
            this.number = number;
            this.place = place;
        }

        @Override
        public void connected(SessionConnection opened) {}

        @Override
        public void proved(SessionConnection opened) {
            HandshakeFrames.Resume resume = HandshakeFrames.Resume.prove(
                    session.memberKey(),
                    session.joined().memoryNodeIncarnation(),
                    session.memberId(),
                    number,
                    session.chains().oldest(),
                    opened.nonce(),
                    opened.serverNonce());
            opened.send(out -> HandshakeFrames.writeResume(out, resume));
        }

        @Override
        public TcpSession answered(SessionConnection opened, FrameType type, FrameBody body) throws BadFrameException {
            if (type != FrameType.RESUMED) {
                throw new BadFrameException(type + " in answer to RESUME");
            }
            int executed = HandshakeFrames.readResumed(body);
            if (!session.chains().resume(executed, System.nanoTime())) {
                throw new BadFrameException("a resumption at chain " + executed + ", which is not in flight");
            }
            succeeded(this);
            return session;
        }

        @Override
        public void complete(TcpSession resumed) {
            resumed.resumed(connection);
        }

        void tryOthers() {
            if (open.contains(this) && !planned) {
                attempt();
            }
        }

        void giveUp() {
            if (open.contains(this)) {
                connection.close(new FabricException("the memory node did not answer in time"));
            }
        }

        @Override
        public void failed(FabricException why, boolean isFinal) {
            if (!open.remove(this)) {
                return;
            }
            if (isFinal) {
                // For what waits it is the end of the session, not a refusal of its own request.
                session.breakOff(new FabricException(String.valueOf(why.getMessage()), why));
            } else {
                again();
            }
        }

        @Override
        public String title() {
            return "resuming the session with " + session.node();
        }
    }
}
