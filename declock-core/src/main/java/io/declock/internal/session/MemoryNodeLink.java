// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.ComputeNodeMonitor;
import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this process joined to one memory node: joins, renews the lease, and joins again after a loss, with back-off. A failure in one step
 * never prevents the next step: otherwise this process would never try to join again. What it may do next, {@link LinkState} decides;
 * how a session comes about is the work of {@link Joiner}. Thread-safe.
 */
public final class MemoryNodeLink implements ComputeNodeMonitor.Home {
    private static final Logger log = LoggerFactory.getLogger(MemoryNodeLink.class);

    private final MemoryNodeAddress address;
    private final Surroundings surroundings;
    private final Listener listener;
    private final Departing departing;
    private final MemoryNodeIdentity identity;
    private final LinkReport report;
    private final LinkState state;
    private final Joiner joiner;
    private volatile boolean coordinating = true;

    /** Receives the events of sessions. Called without a mutex. */
    public interface Listener {
        /** A session was established. */
        void joined(MemoryNodeLink link, NodeSession session);

        /** The session ended, or an attempt to join failed; unless the process was refused, it tries again. */
        void down(MemoryNodeLink link);

        /** The memory node proposes to reclaim idle records. */
        void reclaimProposed(NodeSession session, long round, long[] records);
    }

    /** Makes a link; {@link #start} begins to join. */
    public MemoryNodeLink(
            MemoryNodeAddress address,
            Fabric fabric,
            ComputeNodeSettings settings,
            Surroundings surroundings,
            Listener listener) {
        this.address = address;
        this.surroundings = surroundings;
        this.listener = listener;
        this.departing = new Departing(surroundings);
        this.identity = new MemoryNodeIdentity(address);
        this.report = new LinkReport(address, identity, surroundings.clock());
        this.state = new LinkState(
                identity,
                report,
                new JoinPauses(surroundings.random(), settings.lease().toNanos()),
                new CandidateRound(address),
                surroundings.clock());
        this.joiner = new Joiner(address, fabric, settings, surroundings, identity, departing, new Sessions());
    }

    /** Makes a link to a memory node whose id a list has told. */
    public MemoryNodeLink(
            NodeList.Node node,
            Fabric fabric,
            ComputeNodeSettings settings,
            Surroundings surroundings,
            Listener listener) {
        this(MemoryNodeAddress.parse(node.address()), fabric, settings, surroundings, listener);
        identity.expect(node.id());
    }

    /** A list of memory nodes tells the id of the memory node at this address; has no effect if the id is known. */
    public void expect(String id) {
        identity.expect(id);
    }

    // ---------------------------------------------------------------- start and stop

    /** Begins to join. */
    public void start() {
        if (state.start()) {
            join();
        }
    }

    /** Leaves the memory node if {@code clean}, else only ends the session; the link does not join again. */
    public void stop(boolean clean) {
        NodeSession current = state.stop();
        FabricException why = new FabricException("this process has left");
        departing.lose(why);
        if (current == null) {
            return;
        }
        if (clean) {
            current.fabric().control().leave().whenComplete((ok, failure) -> lost(current, why, false));
        } else {
            lost(current, why, false);
        }
    }

    /** Sets whether the reset coordinator may start resets. */
    public void coordinate(boolean on) {
        coordinating = on;
        NodeSession current = state.session();
        if (current != null) {
            current.coordinator().setEnabled(on);
        }
    }

    // ---------------------------------------------------------------- attempts to join

    private void join() {
        MemoryNodeAddress candidates = state.beginAttempt();
        if (candidates == null) {
            return;
        }
        try {
            joiner.join(candidates);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void failed(Throwable failure) {
        Throwable cause = StageFailure.unwrapped(failure);
        if (cause instanceof FabricException.Refused no
                && no.reason() == FabricException.Reason.SESSION_OVER
                && departing.lose(no)) {
            // Every lock has learnt of the loss: this process joins as one without holds (rule C6).
            state.attemptOver();
            join();
            return;
        }
        if (state.attemptFailed(cause)) {
            join();
            return;
        }
        String news = state.roundFailed();
        if (news != null) {
            log.warn("Memory node {} cannot be joined: {}. Trying again.", address, news);
        }
        tellDown();
        retryLater();
    }

    private void tellDown() {
        Isolated.run("Reporting the missing session with memory node " + address, () -> listener.down(this));
    }

    private void retryLater() {
        surroundings.timer().schedule(state.nextPauseNanos(!departing.isEmpty()), this::join);
    }

    // ---------------------------------------------------------------- the beginning and the end of a session

    /** What the joiner reports. */
    private final class Sessions implements Joiner.User {
        @Override
        public void joined(NodeSession fresh, SessionEvents events) {
            use(fresh, events);
        }

        @Override
        public void failed(Throwable failure) {
            MemoryNodeLink.this.failed(failure);
        }

        @Override
        public void lost(NodeSession session, FabricException cause) {
            MemoryNodeLink.this.lost(session, cause, false);
        }

        @Override
        public void brokenOff(NodeSession session, FabricException cause) {
            goOnWithout(session, cause);
        }

        @Override
        public void reclaimProposed(NodeSession session, long round, long[] records) {
            listener.reclaimProposed(session, round, records);
        }
    }

    /** Makes a session the present one, which callers may use. */
    private void use(NodeSession fresh, SessionEvents events) {
        if (!state.joined(fresh)) {
            fresh.fabric().control().leave();
            fresh.fabric().close();
            return;
        }
        try {
            begin(fresh, events);
        } catch (RuntimeException | Error e) {
            log.error("The session with memory node {} could not be started", address, e);
            lost(fresh, new FabricException("its start failed: " + e, e), true);
        }
    }

    private void begin(NodeSession fresh, SessionEvents events) {
        fresh.coordinator().setEnabled(coordinating);
        events.attach(fresh);
        new Renewal(fresh, address, () -> state.session() == fresh, cause -> lost(fresh, cause, false)).start();
        listener.joined(this, fresh);
    }

    /**
     * Goes on without a session that has no connection any more and was not ended by the memory node, which may have started again. Its
     * locks are frozen; what is held of them rests on the session's lease, until the memory node's next life has restored it or has
     * refused to (rules H3 and H4).
     */
    private void goOnWithout(NodeSession current, FabricException cause) {
        if (!state.brokenOff(current, cause)) {
            lost(current, cause, false);
            return;
        }
        log.warn("Session with memory node {} ({}) broke off: {}", identity.id(), address, cause.getMessage());
        if (current.suspend(cause).isEmpty()) {
            current.lose(cause);
        } else {
            departing.add(current, cause);
        }
        goOn(true);
    }

    /**
     * Ends the session. The watch on the lease and the fabric may report the end at the same moment, for example after a pause: the thread
     * that removes the session does all the rest. The process joins again only after every lock has learnt of the loss (rule C6): the join
     * request tells the memory node that the former session is over, so that it need not wait for that session's lease.
     */
    private void lost(NodeSession current, FabricException cause, boolean atItsBeginning) {
        LinkState.End end = state.lost(current, cause, atItsBeginning);
        if (end == LinkState.End.NOT_PRESENT) {
            return;
        }
        boolean again = end == LinkState.End.JOINS_AGAIN;
        if (again) {
            log.warn(
                    "Session with memory node {} ({}) was lost: {}. Joining again.",
                    identity.id(),
                    address,
                    cause.getMessage());
        }
        try {
            current.lose(cause);
        } finally {
            goOn(again);
        }
    }

    private void goOn(boolean joinsAgain) {
        boolean atOnce = state.mayJoinAtOnce();
        tellDown();
        if (joinsAgain && atOnce) {
            join();
        } else if (joinsAgain) {
            retryLater();
        }
    }

    // ---------------------------------------------------------------- the present session

    /** Declares the set of memory nodes in the present session; later join requests declare it themselves. */
    public void declareNodeSet() {
        NodeSession current = state.settledSession();
        if (current != null && surroundings.nodeSet().list().isNone()) {
            NodeSet set = surroundings.nodeSet().get();
            current.declaredSet(set);
            current.fabric().control().declareNodeSet(set).whenComplete((ok, failure) -> {
                if (failure != null && !current.isOver()) {
                    notAgreed(current, StageFailure.unwrapped(failure));
                }
            });
        }
    }

    private void notAgreed(NodeSession current, Throwable cause) {
        if (cause instanceof FabricException.Refused no) {
            state.refused(no);
        }
        lost(current, new FabricException(String.valueOf(cause.getMessage()), cause), false);
    }

    /** Remembers the highest full epoch seen, above which a restarted memory node must start. */
    public void sawEpoch(long epoch) {
        joiner.sawEpoch(epoch);
    }

    /** Returns the present session, or null. */
    public @Nullable NodeSession session() {
        return state.session();
    }

    // ---------------------------------------------------------------- what is told of the link

    @Override
    public MemoryNodeAddress address() {
        return address;
    }

    /** Returns the memory node's stable id, empty before the first join. */
    public String memoryNodeId() {
        return identity.id();
    }

    /** Returns the hash of the memory node's stable id, which has no meaning before the first join. */
    public long memoryNodeIdHash() {
        return identity.idHash();
    }

    @Override
    public long downNanos() {
        return report.downNanos(state.session());
    }

    /** Returns why there is no session, or no connection for it; empty if there is one. */
    public String problem() {
        return report.problem(state.session());
    }

    /** Returns the refusal that retrying will not change, or null. */
    public FabricException.@Nullable Refused refusal() {
        return report.refusal();
    }

    @Override
    public MemoryNodeView view() {
        return report.view(state.session());
    }
}
