// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.MemoryNodeView.State;
import io.declock.internal.time.Clock;
import io.declock.spi.FabricException;
import io.declock.spi.HeartbeatReply;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What people are told of a link: whether it is up, since when it is not, and why. It decides nothing. Any thread reads it; the mutex of its
 * {@link LinkState} guards each change.
 */
final class LinkReport {
    private final MemoryNodeAddress address;
    private final MemoryNodeIdentity identity;
    private final Clock clock;
    private volatile State state = State.JOINING;
    private volatile String problem = "";
    private volatile FabricException.@Nullable Refused refusal;
    private volatile long downSince;

    LinkReport(MemoryNodeAddress address, MemoryNodeIdentity identity, Clock clock) {
        this.address = address;
        this.identity = identity;
        this.clock = clock;
    }

    // ---------------------------------------------------------------- changes

    /** The link has started. */
    void started() {
        state = State.JOINING;
        downSince = clock.nanoTime();
    }

    /** There is a session. */
    void up() {
        problem = "";
        refusal = null;
        state = State.UP;
    }

    /**
     * No candidate could be joined.
     *
     * @param lasting a refusal that retrying will not change, or null
     * @return whether the message is another one than the last
     */
    boolean notJoined(String message, FabricException.@Nullable Refused lasting) {
        // Messages that differ only in a number that counts down are the same.
        boolean isNew = !withoutNumbers(message).equals(withoutNumbers(problem));
        problem = message;
        refusal = lasting;
        state = lasting != null ? State.REFUSED : state == State.JOINING ? State.JOINING : State.DOWN;
        return isNew;
    }

    private static String withoutNumbers(String text) {
        return text.replaceAll("[0-9]+", "");
    }

    /** The session is over. */
    void down(FabricException cause, boolean joinsAgain) {
        downSince = clock.nanoTime();
        state = joinsAgain ? State.DOWN : State.LEFT;
        problem = String.valueOf(cause.getMessage());
    }

    /** The memory node refuses something in the present session. */
    void refused(FabricException.Refused no) {
        refusal = no;
    }

    /** The link was stopped without a session. */
    void left() {
        state = State.LEFT;
    }

    // ---------------------------------------------------------------- what is told

    /** Returns the refusal that retrying will not change, or null. */
    FabricException.@Nullable Refused refusal() {
        return refusal;
    }

    /** Returns for how long there has been no connection, 0 if there is one. */
    long downNanos(@Nullable NodeSession session) {
        return session != null ? session.fabric().disconnectedNanos() : Math.max(1, clock.nanoTime() - downSince);
    }

    /** Returns why there is no session, or no connection for it; empty if there is one. */
    String problem(@Nullable NodeSession session) {
        return session == null || downNanos(session) == 0
                ? problem
                : "the connection is broken; trying to resume the session on another one";
    }

    /** Returns a view of the link with its present session. */
    MemoryNodeView view(@Nullable NodeSession session) {
        return session == null ? viewWithoutSession() : viewOf(session);
    }

    private MemoryNodeView viewWithoutSession() {
        return new MemoryNodeView(
                address.toString(),
                identity.id(),
                state,
                0,
                0,
                null,
                Duration.ZERO,
                0,
                0,
                0,
                null,
                problem,
                Duration.ofNanos(downNanos(null)));
    }

    private MemoryNodeView viewOf(NodeSession session) {
        HeartbeatReply beat = session.lastHeartbeat();
        long disconnected = session.fabric().disconnectedNanos();
        return new MemoryNodeView(
                address.toString(),
                identity.id(),
                disconnected == 0 ? state : State.RESUMING,
                session.nodeId(),
                session.incarnation(),
                session.roundTripNanos() < 0 ? null : Duration.ofNanos(session.roundTripNanos()),
                Duration.ofNanos(session.leaseLeftNanos()),
                beat == null ? 0 : beat.recordsInUse(),
                beat == null ? 0 : beat.recordsTotal(),
                session.membership().members().size(),
                Duration.ofNanos(session.clockOffsetNanos()),
                problem(session),
                Duration.ofNanos(disconnected));
    }
}
