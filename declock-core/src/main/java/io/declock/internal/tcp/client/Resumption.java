// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.spi.FabricException;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives a session another connection when one has broken (rule G1): tries at once, then with growing pauses, until the memory node has
 * resumed or refused the session, or this process has closed it because its lease has run out. Belongs to the session's event loop.
 */
final class Resumption {
    private static final long FIRST_PAUSE_NANOS = 10_000_000;
    private static final long LONGEST_PAUSE_NANOS = 80_000_000;

    private final TcpFabric fabric;
    private final TcpSession session;
    private final EventLoop loop;
    private int attempts;
    /** Attempts since the connection broke. */
    private int tries;

    private long pauseNanos;
    private @Nullable Attempt present;

    Resumption(TcpFabric fabric, TcpSession session, EventLoop loop) {
        this.fabric = fabric;
        this.session = session;
        this.loop = loop;
    }

    /**
     * Begins to try.
     *
     * @param elsewhere whether to begin with another candidate, if there is one, than the one that fell silent
     */
    void begin(boolean elsewhere) {
        pauseNanos = FIRST_PAUSE_NANOS;
        tries = elsewhere && !session.address().others().isEmpty() ? 1 : 0;
        attempt();
    }

    /** Ends the attempt that is under way. */
    void stop(FabricException why) {
        Attempt ending = present;
        present = null;
        if (ending != null) {
            ending.connection.close(why);
        }
    }

    private void attempt() {
        if (session.isOver()) {
            return;
        }
        if (fabric.isClosed()) {
            session.end(TcpFabric.closedFabric());
            return;
        }
        Attempt next = new Attempt(++attempts);
        present = next;
        fabric.reconnect(session, loop, next.connection, ++tries, why -> next.failed(why, false));
        loop.schedule(next::giveUp, fabric.attemptNanos(session.address(), session.leaseNanos()), TimeUnit.NANOSECONDS);
    }

    private void again() {
        long pause = pauseNanos;
        pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        // Compute nodes that lost their connections at the same moment do not all return at the same moment.
        long spread = pause * session.joined().nodeId() / 512;
        loop.schedule(this::attempt, pause + spread, TimeUnit.NANOSECONDS);
    }

    /** One attempt. */
    private final class Attempt implements Opening {
        final SessionConnection connection = new SessionConnection(fabric, session.node(), this);
        private final int number;

        Attempt(int number) {
            this.number = number;
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
            present = null;
            return session;
        }

        @Override
        public void complete(TcpSession resumed) {
            resumed.resumed(connection);
        }

        void giveUp() {
            if (present == this) {
                connection.close(new FabricException("the memory node did not answer in time"));
            }
        }

        @Override
        public void failed(FabricException why, boolean isFinal) {
            if (present != this) {
                return;
            }
            present = null;
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
