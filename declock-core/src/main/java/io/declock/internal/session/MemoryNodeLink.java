// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.ComputeNodeMonitor;
import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.MemoryNodeView.State;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this process joined to one memory node: joins, renews the lease, and joins again after a loss, with back-off. A failure in one step
 * never prevents the next step: otherwise this process would never try to join again. Thread-safe.
 */
public final class MemoryNodeLink implements ComputeNodeMonitor.Home {
    private static final Logger log = LoggerFactory.getLogger(MemoryNodeLink.class);

    private final MemoryNodeAddress address;
    private final Fabric fabric;
    private final ComputeNodeSettings settings;
    private final Surroundings surroundings;
    private final Listener listener;
    private final Departing departing;
    private final ReentrantLock mutex = new ReentrantLock();

    private volatile @Nullable NodeSession session;
    private volatile State state = State.JOINING;
    private volatile String memoryNodeId = "";
    private volatile long memoryNodeIdHash;
    /** The memory node of the last session; this process only reports its address and never connects to it. */
    private volatile FormerMemoryNode former = FormerMemoryNode.NONE;

    private volatile String problem = "";
    private volatile FabricException.@Nullable Refused refusal;
    private final AtomicLong highestEpoch = new AtomicLong();
    private final AtomicLong attempts = new AtomicLong();
    private volatile boolean coordinating = true;

    @GuardedBy("mutex")
    private boolean running;

    @GuardedBy("mutex")
    private boolean joining;

    @GuardedBy("mutex")
    private final JoinPauses pauses;

    @GuardedBy("mutex")
    private final CandidateRound round;

    private volatile long downSince;

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
        this.fabric = fabric;
        this.settings = settings;
        this.surroundings = surroundings;
        this.listener = listener;
        this.departing = new Departing(surroundings);
        this.pauses = new JoinPauses(surroundings.random(), settings.lease().toNanos());
        this.round = new CandidateRound(address);
    }

    /** Makes a link to a memory node whose id a list has told. */
    public MemoryNodeLink(
            NodeList.Node node,
            Fabric fabric,
            ComputeNodeSettings settings,
            Surroundings surroundings,
            Listener listener) {
        this(MemoryNodeAddress.parse(node.address()), fabric, settings, surroundings, listener);
        memoryNodeIdHash = NodeSet.hash(node.id());
        memoryNodeId = node.id();
    }

    /** A list of memory nodes tells the id of the memory node at this address; has no effect if the id is known. */
    public void expect(String id) {
        mutex.lock();
        try {
            if (memoryNodeId.isEmpty()) {
                memoryNodeIdHash = NodeSet.hash(id);
                memoryNodeId = id;
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Begins to join. */
    public void start() {
        mutex.lock();
        try {
            if (running) {
                return;
            }
            running = true;
            state = State.JOINING;
            downSince = surroundings.clock().nanoTime();
        } finally {
            mutex.unlock();
        }
        join();
    }

    private void join() {
        mutex.lock();
        try {
            if (!running || joining || session != null) {
                return;
            }
            joining = true;
        } finally {
            mutex.unlock();
        }
        try {
            askToJoin();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void askToJoin() {
        long sentAt = surroundings.clock().nanoTime();
        KnownNodeSet known = surroundings.nodeSet();
        SessionEvents events = new SessionEvents(this::lost, this::brokenOff, listener::reclaimProposed, known::learn);
        // A list is declared when it is known which one the memory node has.
        NodeSet declared = known.list().isNone() ? known.get() : NodeSet.NONE;
        JoinRequest request = new JoinRequest(
                // Two addresses of one memory node are a configuration error, but their sessions must not end each
                // other.
                surroundings.processId() + address.hashCode(),
                attempts.incrementAndGet(),
                settings.name(),
                fabric.peerAddress(),
                declared,
                highestEpoch.get(),
                settings.lease().toNanos(),
                former,
                !departing.isEmpty());
        fabric.join(candidate(), request, events).whenComplete((joined, failure) -> {
            if (failure == null) {
                established(joined, events, sentAt, declared, request.moves());
            } else {
                failed(failure);
            }
        });
    }

    private MemoryNodeAddress candidate() {
        mutex.lock();
        try {
            return round.present();
        } finally {
            mutex.unlock();
        }
    }

    private void established(FabricSession joined, SessionEvents events, long sentAt, NodeSet declared, boolean moves) {
        NodeSession fresh;
        try {
            FabricException.Refused another = anotherMemoryNode(joined);
            if (another != null) {
                failed(another);
                joined.control().leave();
                joined.close();
                return;
            }
            fresh = new NodeSession(joined, settings, surroundings, sentAt, this::sawEpoch, this::lost);
        } catch (RuntimeException | Error e) {
            failed(e);
            joined.close();
            return;
        }
        Consumer<Throwable> refused = moves ? failure -> giveUp(fresh, failure) : failure -> leave(fresh, failure);
        agree(fresh, declared, refused, () -> {
            if (moves) {
                move(fresh, events, refused);
            } else {
                publish(fresh, events);
            }
        });
    }

    /** Goes on with a session to which the memory node has agreed: if the set of memory nodes is known, the memory node must have agreed to it (rule C11). */
    private void agree(NodeSession fresh, NodeSet declared, Consumer<Throwable> refused, Runnable agreed) {
        NodeList list = surroundings.nodeSet().list();
        if (!list.isNone()) {
            if (surroundings.nodeSet().used() == list.number() && fresh.declaredList() < list.number()) {
                declareList(fresh, list, refused, () -> agree(fresh, declared, refused, agreed));
            } else {
                agreed.run();
            }
            return;
        }
        NodeSet known = surroundings.nodeSet().get();
        if (known.size() <= 1 || known.equals(declared)) {
            agreed.run();
        } else {
            // Learnt after the request was sent, perhaps from its answer.
            declare(fresh, known, refused, agreed);
        }
    }

    private void declare(NodeSession fresh, NodeSet known, Consumer<Throwable> refused, Runnable agreed) {
        Consumer<@Nullable Throwable> answered = answerOf(fresh, refused, () -> agree(fresh, known, refused, agreed));
        try {
            fresh.fabric().control().declareNodeSet(known).whenComplete((ok, failure) -> answered.accept(failure));
        } catch (RuntimeException | Error e) {
            answered.accept(e);
        }
    }

    /** Tells the memory node of a list that it does not have yet; the session has taken nothing there. */
    private void declareList(NodeSession fresh, NodeList list, Consumer<Throwable> refused, Runnable declared) {
        Consumer<@Nullable Throwable> answered = answerOf(fresh, refused, () -> {
            fresh.declaredList(list.number());
            declared.run();
        });
        fresh.fabric().control().declareNodes(list).whenComplete((ok, failure) -> answered.accept(failure));
    }

    /** Restores the holds of the sessions that broke off, and only then publishes the session, whose holds they are from now on. */
    private void move(NodeSession fresh, SessionEvents events, Consumer<Throwable> refused) {
        List<NodeSession> former = departing.sessions();
        AtomicReference<@Nullable Move> moving = new AtomicReference<>();
        Consumer<@Nullable Throwable> answered = answerOf(fresh, refused, () -> {
            departing.haveMoved(former);
            publish(fresh, events);
            Move moved = moving.get();
            if (moved != null) {
                moved.awaitGrace();
            }
        });
        Move move = new Move(fresh, former, settings.namespace(), answered);
        moving.set(move);
        move.start();
    }

    /**
     * Returns what takes the end of a step between joining and the session's use: goes on, or gives the session up. No heartbeat is sent
     * yet, so nothing else would notice that the memory node is silent.
     */
    private Consumer<@Nullable Throwable> answerOf(NodeSession fresh, Consumer<Throwable> refused, Runnable then) {
        AtomicBoolean open = new AtomicBoolean(true);
        Consumer<@Nullable Throwable> answered = failure -> {
            if (!open.compareAndSet(true, false)) {
                return;
            }
            if (failure == null) {
                then.run();
            } else {
                refused.accept(failure);
            }
        };
        surroundings
                .timer()
                .schedule(
                        Math.max(0, fresh.leaseLeftNanos()),
                        () -> answered.accept(new FabricException(address + " did not answer within the lease")));
        return answered;
    }

    /** Ends a session that is not in use and has no holds. */
    private void leave(NodeSession fresh, Throwable failure) {
        Isolated.run(
                "Leaving memory node " + address, () -> fresh.fabric().control().leave());
        failed(failure);
        fresh.fabric().close();
    }

    /**
     * Gives up a session to which holds were to be moved. It does not leave: perhaps the memory node counts them already, and relies on this
     * process not to hold them without that session.
     */
    private void giveUp(NodeSession fresh, Throwable failure) {
        Throwable cause = StageFailure.unwrapped(failure);
        fresh.suspend(new FabricException(String.valueOf(cause.getMessage()), cause));
        failed(failure);
    }

    /** Makes a session the present one, which callers may use. */
    private void publish(NodeSession fresh, SessionEvents events) {
        boolean welcome;
        FabricSession joined = fresh.fabric();
        mutex.lock();
        try {
            joining = false;
            welcome = running;
            if (welcome) {
                pauses.joined(surroundings.clock().nanoTime());
                round.beginAnew();
                session = fresh;
                memoryNodeIdHash = NodeSet.hash(joined.joined().memoryNodeId());
                memoryNodeId = joined.joined().memoryNodeId();
                former = new FormerMemoryNode(
                        joined.joined().memoryNodeIncarnation(), joined.joined().memoryNodeAddress());
                problem = "";
                refusal = null;
                state = State.UP;
            }
        } finally {
            mutex.unlock();
        }
        if (!welcome) {
            joined.control().leave();
            joined.close();
            return;
        }
        try {
            begin(fresh, events);
        } catch (RuntimeException | Error e) {
            log.error("The session with memory node {} could not be started", address, e);
            lost(fresh, new FabricException("its start failed: " + e, e), true);
        }
    }

    /**
     * Returns a refusal if the session's memory node is not the one that was joined at this address before (rule C8), or does not fit the
     * set of memory nodes (rule C11), else null. Names are mapped to memory node ids: with another id, bound names would stay at their
     * memory node and other names would move to another one, so that a lock could have two writers.
     */
    private FabricException.@Nullable Refused anotherMemoryNode(FabricSession joined) {
        String known = memoryNodeId;
        String id = joined.joined().memoryNodeId();
        if (known.isEmpty() || known.equals(id)) {
            return surroundings.nodeSet().learn(address, joined.joined());
        }
        String asked = candidate().candidates().get(0).toString();
        String wrongCandidate = address.others().isEmpty()
                ? ""
                : ", take " + asked + " off the list of candidates (declock.memory-nodes)";
        return new FabricException.Refused(
                FabricException.Reason.BAD_NODE_SET,
                address + " was memory node '" + known + "' when this process joined it, and " + asked
                        + " calls itself '" + id + "' now. Give the memory node its id back (declock.memory-node.id)"
                        + wrongCandidate + ", or restart every service that uses it");
    }

    private void begin(NodeSession fresh, SessionEvents events) {
        fresh.coordinator().setEnabled(coordinating);
        events.attach(fresh);
        beat(fresh);
        watch(fresh);
        listener.joined(this, fresh);
    }

    private void failed(Throwable failure) {
        Throwable cause = StageFailure.unwrapped(failure);
        if (cause instanceof FabricException.Refused no
                && no.reason() == FabricException.Reason.SESSION_OVER
                && departing.lose(no)) {
            // Every lock has learnt of the loss: this process joins as one without holds (rule C6).
            notJoining();
            join();
            return;
        }
        if (hasAnotherCandidate(cause)) {
            join();
            return;
        }
        mutex.lock();
        try {
            FabricException.Refused lasting = round.refusal();
            String message = round.problems();
            round.beginAnew();
            // Messages that differ only in a number that counts down are the same.
            boolean refused = lasting != null;
            boolean first = pauses.failed(refused) || !withoutNumbers(message).equals(withoutNumbers(problem));
            problem = message;
            refusal = lasting;
            state = refused ? State.REFUSED : state == State.JOINING ? State.JOINING : State.DOWN;
            if (first && running) {
                log.warn("Memory node {} cannot be joined: {}. Trying again.", address, message);
            }
        } finally {
            mutex.unlock();
        }
        tellDown();
        retryLater();
    }

    /** Takes up a failure; returns whether a candidate is left that was not asked since the last pause. */
    private boolean hasAnotherCandidate(Throwable cause) {
        mutex.lock();
        try {
            joining = false;
            return round.failed(cause) && running;
        } finally {
            mutex.unlock();
        }
    }

    private void notJoining() {
        mutex.lock();
        try {
            joining = false;
        } finally {
            mutex.unlock();
        }
    }

    private void tellDown() {
        Isolated.run("Reporting the missing session with memory node " + address, () -> listener.down(this));
    }

    private static String withoutNumbers(String text) {
        return text.replaceAll("[0-9]+", "");
    }

    private void retryLater() {
        long pause;
        mutex.lock();
        try {
            pause = pauses.nextNanos(!departing.isEmpty());
        } finally {
            mutex.unlock();
        }
        surroundings.timer().schedule(pause, this::join);
    }

    private void beat(NodeSession current) {
        if (current.isOver() || session != current) {
            return;
        }
        Isolated.run("Sending a heartbeat to memory node " + address, current::heartbeat);
        surroundings.timer().schedule(current.heartbeatNanos(), () -> beat(current));
    }

    /** Loses the session when its lease has run out by this process's own clock (rule C1). */
    private void watch(NodeSession current) {
        if (current.isOver()) {
            return;
        }
        long left = current.leaseLeftNanos();
        if (left <= 0) {
            lost(
                    current,
                    new FabricException("the lease of "
                            + Duration.ofNanos(current.fabric().joined().leaseNanos())
                            + " ran out without an answered heartbeat from " + address));
        } else {
            surroundings.timer().schedule(left, () -> watch(current));
        }
    }

    private void lost(NodeSession current, FabricException cause) {
        lost(current, cause, false);
    }

    /**
     * Goes on without a session that has no connection any more and was not ended by the memory node, which may have started again. Its
     * locks are frozen; what is held of them rests on the session's lease, until the memory node's next life has restored it or has
     * refused to (rules H3 and H4).
     */
    private void brokenOff(NodeSession current, FabricException cause) {
        boolean now;
        mutex.lock();
        try {
            now = running && session == current;
            if (now) {
                session = null;
                downSince = surroundings.clock().nanoTime();
                joining = true;
                state = State.DOWN;
                problem = String.valueOf(cause.getMessage());
                pauses.lost(surroundings.clock().nanoTime(), false);
                round.beginWithNext();
            }
        } finally {
            mutex.unlock();
        }
        if (!now) {
            lost(current, cause);
            return;
        }
        log.warn("Session with memory node {} ({}) broke off: {}", memoryNodeId, address, cause.getMessage());
        if (current.suspend(cause).isEmpty()) {
            current.lose(cause);
        } else {
            departing.add(current, cause);
        }
        goOn();
    }

    private void goOn() {
        boolean soon = mayJoinAgain();
        tellDown();
        if (soon) {
            join();
        } else {
            retryLater();
        }
    }

    /**
     * Ends the session. The watch on the lease and the fabric may report the end at the same moment, for example after a pause: the thread
     * that removes the session does all the rest. The process joins again only after every lock has learnt of the loss (rule C6): the join
     * request tells the memory node that the former session is over, so that it need not wait for that session's lease.
     */
    private void lost(NodeSession current, FabricException cause, boolean atItsBeginning) {
        boolean again;
        mutex.lock();
        try {
            if (session != current) {
                return;
            }
            again = running;
            session = null;
            downSince = surroundings.clock().nanoTime();
            // No other thread joins in the meantime.
            joining = true;
            state = running ? State.DOWN : State.LEFT;
            problem = String.valueOf(cause.getMessage());
            pauses.lost(surroundings.clock().nanoTime(), atItsBeginning);
        } finally {
            mutex.unlock();
        }
        if (again) {
            log.warn(
                    "Session with memory node {} ({}) was lost: {}. Joining again.",
                    memoryNodeId,
                    address,
                    cause.getMessage());
        }
        try {
            current.lose(cause);
        } finally {
            boolean soon = mayJoinAgain();
            tellDown();
            if (again && soon) {
                join();
            } else if (again) {
                retryLater();
            }
        }
    }

    /** Returns whether to join at once. */
    private boolean mayJoinAgain() {
        mutex.lock();
        try {
            joining = false;
            return pauses.isNone();
        } finally {
            mutex.unlock();
        }
    }

    /** Declares the set of memory nodes in the present session; later join requests declare it themselves. */
    public void declareNodeSet() {
        NodeSession current;
        mutex.lock();
        try {
            current = session;
        } finally {
            mutex.unlock();
        }
        if (current != null && surroundings.nodeSet().list().isNone()) {
            current.fabric()
                    .control()
                    .declareNodeSet(surroundings.nodeSet().get())
                    .whenComplete((ok, failure) -> {
                        if (failure != null && !current.isOver()) {
                            Throwable cause = StageFailure.unwrapped(failure);
                            refuse(cause);
                            lost(current, new FabricException(String.valueOf(cause.getMessage()), cause));
                        }
                    });
        }
    }

    private void refuse(Throwable cause) {
        if (cause instanceof FabricException.Refused no) {
            refusal = no;
        }
    }

    /** Leaves the memory node if {@code clean}, else only ends the session; the link does not join again. */
    public void stop(boolean clean) {
        NodeSession current;
        mutex.lock();
        try {
            running = false;
            current = session;
        } finally {
            mutex.unlock();
        }
        FabricException why = new FabricException("this process has left");
        departing.lose(why);
        if (current == null) {
            state = State.LEFT;
            return;
        }
        if (clean) {
            current.fabric().control().leave().whenComplete((ok, failure) -> lost(current, why));
        } else {
            lost(current, why);
        }
    }

    /** Sets whether the reset coordinator may start resets. */
    public void coordinate(boolean on) {
        coordinating = on;
        NodeSession current = session;
        if (current != null) {
            current.coordinator().setEnabled(on);
        }
    }

    /** Remembers the highest full epoch seen, above which a restarted memory node must start. */
    public void sawEpoch(long epoch) {
        highestEpoch.accumulateAndGet(epoch, Math::max);
    }

    /** Returns the present session, or null. */
    public @Nullable NodeSession session() {
        return session;
    }

    @Override
    public MemoryNodeAddress address() {
        return address;
    }

    @Override
    public long downNanos() {
        NodeSession current = session;
        return current != null
                ? current.fabric().disconnectedNanos()
                : Math.max(1, surroundings.clock().nanoTime() - downSince);
    }

    /** Returns the memory node's stable id, empty before the first join. */
    public String memoryNodeId() {
        return memoryNodeId;
    }

    /** Returns the hash of the memory node's stable id, which has no meaning before the first join. */
    public long memoryNodeIdHash() {
        return memoryNodeIdHash;
    }

    /** Returns why there is no session, or no connection for it; empty if there is one. */
    public String problem() {
        return session == null || downNanos() == 0
                ? problem
                : "the connection is broken; trying to resume the session on another one";
    }

    /** Returns the refusal that retrying will not change, or null. */
    public FabricException.@Nullable Refused refusal() {
        return refusal;
    }

    @Override
    public MemoryNodeView view() {
        NodeSession current = session;
        if (current == null) {
            return new MemoryNodeView(
                    address.toString(),
                    memoryNodeId,
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
                    Duration.ofNanos(downNanos()));
        }
        HeartbeatReply beat = current.lastHeartbeat();
        long disconnected = current.fabric().disconnectedNanos();
        return new MemoryNodeView(
                address.toString(),
                memoryNodeId,
                disconnected == 0 ? state : State.RESUMING,
                current.nodeId(),
                current.incarnation(),
                current.roundTripNanos() < 0 ? null : Duration.ofNanos(current.roundTripNanos()),
                Duration.ofNanos(current.leaseLeftNanos()),
                beat == null ? 0 : beat.recordsInUse(),
                beat == null ? 0 : beat.recordsTotal(),
                current.membership().members().size(),
                Duration.ofNanos(current.clockOffsetNanos()),
                problem(),
                Duration.ofNanos(disconnected));
    }
}
