// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.Counters.Event;
import io.declock.LockLostException;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.Moving;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.internal.session.StageFailure;
import io.declock.spi.FabricException;
import io.declock.spi.GivenUp;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import io.declock.spi.RestoredHold;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes over to another list of memory nodes (rules M2, M3, M4 and M6 of docs/protocol.md).
 *
 * <ol>
 * <li>Wait until there is a session with every memory node that takes names over, but not longer than a lease.
 * <li>Map names by the list, and wait until no lock is being bound by the former one.
 * <li>Freeze each lock whose name moves, and restore its holds at its new memory node. They rest on both leases until they count there.
 * <li>Declare the list in the former session: nothing more is taken there.
 * <li>Carry the word of each memory node that has given names up to those that take them over; then the holds count there.
 * </ol>
 *
 * <p>Used once; thread-safe.
 */
final class Relocation {
    private static final Logger log = LoggerFactory.getLogger(Relocation.class);
    private static final long RETRY_NANOS = 20_000_000;
    private static final long PATIENT_RETRY_NANOS = 100_000_000;

    private final NodeList list;
    private final Nodes nodes;
    private final NodeRuntime runtime;
    private final long patienceNanos;
    private final boolean isFirst;
    private final Consumer<Relocation> whenSettled;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean settled = new AtomicBoolean();
    private final Map<String, Queue<Restored>> restored = new ConcurrentHashMap<>();
    private final Set<NodeSession> left = ConcurrentHashMap.newKeySet();
    private final Set<String> carried = ConcurrentHashMap.newKeySet();
    /** The sources without a session. */
    private final Set<String> unreachable = ConcurrentHashMap.newKeySet();

    private final long deadline;
    private volatile boolean hasLeft;
    private volatile boolean stopped;

    /** The memory nodes of the process, and its locks. */
    interface Nodes {
        /** Returns the link to a memory node, or null. */
        @Nullable
        MemoryNodeLink linkTo(String id);

        /** Returns the sessions of this moment. */
        List<NodeSession> sessions();

        /** Returns every lock of this process. */
        Iterable<LocalLock> locks();

        /** Returns a name with its namespace. */
        String fullName(String name);

        /** Returns the session with the memory node that a name belongs to, or null. */
        @Nullable
        NodeSession homeSession(String name);

        /** Maps names by a list from now on; {@code then} runs when no lock is being bound by the former mapping. */
        void map(NodeList list, Runnable then);

        /** Tries once to bind each lock that waits for a session. */
        void retryUnbound();
    }

    /** A hold that was restored in a session, and does not count there yet. */
    private record Restored(LocalLock lock, NodeSession at) {}

    /**
     * Makes one, which begins with {@link #start}.
     *
     * @param isFirst the process has begun a moment ago, or has gone over to the list before: it need not wait for sessions
     * @param patienceNanos how long it waits for sessions, and for holds to be restored
     * @param whenSettled runs once, when everything is done
     */
    Relocation(
            NodeList list,
            boolean isFirst,
            Nodes nodes,
            NodeRuntime runtime,
            long patienceNanos,
            Consumer<Relocation> whenSettled) {
        this.list = list;
        this.isFirst = isFirst;
        this.nodes = nodes;
        this.runtime = runtime;
        this.patienceNanos = patienceNanos;
        this.whenSettled = whenSettled;
        this.deadline = runtime.clock().nanoTime() + patienceNanos;
    }

    NodeList list() {
        return list;
    }

    /** Returns whether a later list may take its place. */
    boolean isFirst() {
        return isFirst;
    }

    /** Begins. */
    void start() {
        if (isFirst) {
            begin();
            return;
        }
        runtime.timer().schedule(patienceNanos, this::begin);
        sessionsChanged();
    }

    /** A session with a memory node began. */
    void sessionsChanged() {
        if (hasLeft) {
            leaveOthers();
            List.copyOf(unreachable).forEach(this::carryIfStillToDo);
        } else if (list.targets().stream().allMatch(target -> sessionWith(target.id()) != null)) {
            begin();
        }
    }

    /** The process leaves. */
    void stop() {
        stopped = true;
    }

    private void later(long nanos, Runnable step) {
        runtime.timer().schedule(nanos, () -> {
            if (!stopped) {
                Isolated.run("Going over to list " + list.number() + " of memory nodes", step);
            }
        });
    }

    private @Nullable NodeSession sessionWith(String id) {
        MemoryNodeLink link = nodes.linkTo(id);
        NodeSession session = link == null ? null : link.session();
        return session == null || session.isOver() ? null : session;
    }

    private void begin() {
        if (stopped || !begun.compareAndSet(false, true)) {
            return;
        }
        log.info("Going over to {}", list.describe());
        nodes.map(list, this::leave);
    }

    // ---------------------------------------------------------------- leaving the former memory nodes

    private void leave() {
        Map<NodeSession, List<LocalLock>> leaving = new LinkedHashMap<>();
        for (NodeSession session : nodes.sessions()) {
            if (session.declaredList() < list.number()) {
                leaving.put(session, new ArrayList<>());
            }
        }
        NodeSet set = list.set();
        for (LocalLock lock : nodes.locks()) {
            // A session of a memory node with a later list has only names that this memory node has by that list: they
            // stay.
            if (lock.session() instanceof NodeSession session
                    && session.declaredList() < list.number()
                    && set.homeOf(NodeSet.hash(nodes.fullName(lock.name())))
                            != NodeSet.hash(session.joined().memoryNodeId())) {
                leaving.computeIfAbsent(session, any -> new ArrayList<>()).add(lock);
            }
        }
        left.addAll(leaving.keySet());
        leaving.forEach((session, locks) -> new Departure(session, locks).start());
        hasLeft = true;
        leaveOthers();
        nodes.retryUnbound();
        list.sources().forEach(source -> carry(source.id()));
    }

    /** Declares the list in sessions that began meanwhile with a memory node which does not have it; no lock was bound there by the former list. */
    private void leaveOthers() {
        for (NodeSession session : nodes.sessions()) {
            if (session.declaredList() < list.number() && left.add(session)) {
                new Departure(session, List.of()).start();
            }
        }
    }

    /** The locks that leave one session. */
    private final class Departure {
        private final NodeSession from;
        private final List<LocalLock> locks;
        private final AtomicInteger unsettled = new AtomicInteger(1);

        Departure(NodeSession from, List<LocalLock> locks) {
            this.from = from;
            this.locks = locks;
        }

        void start() {
            List<LocalLock> holding = new ArrayList<>();
            for (LocalLock lock : locks) {
                Isolated.run("Moving " + lock.title(), () -> {
                    if (from.locks().depart(lock)) {
                        holding.add(lock);
                    }
                });
            }
            unsettled.getAndAdd(holding.size());
            holding.forEach(lock -> Isolated.run("Restoring " + lock.title(), () -> restore(lock)));
            settled();
        }

        private void restore(LocalLock lock) {
            Moving.Held held = lock.toRestore(lost(lock, "its lease ran out before it was restored", null));
            if (held == null) {
                settled();
                return;
            }
            NodeSession to = nodes.homeSession(lock.name());
            if (to == null || to.declaredList() < list.number()) {
                again(
                        lock,
                        new FabricException(
                                to == null
                                        ? "there is no session with its new memory node"
                                        : "its new memory node does not have list " + list.number() + " yet"));
                return;
            }
            to.unregistered()
                    .restore(new RestoredHold(nodes.fullName(lock.name()), held.exclusive(), held.epoch()))
                    .whenComplete((record, failure) -> {
                        if (failure == null) {
                            restored(lock, to, record, held.exclusive());
                        } else {
                            again(lock, StageFailure.unwrapped(failure));
                        }
                        to.unregistered().restoreEnded();
                    });
        }

        private void restored(LocalLock lock, NodeSession to, long record, boolean exclusive) {
            // Registered first: from the moment when the hold counts, peers may ask for it.
            to.locks().register(record, lock);
            lock.restored(to, record, exclusive);
            restored.computeIfAbsent(from.joined().memoryNodeId(), any -> new ConcurrentLinkedQueue<>())
                    .add(new Restored(lock, to));
            to.loseIfOver(record, lock);
            settled();
        }

        private void again(LocalLock lock, Throwable failure) {
            boolean isFinal = failure instanceof FabricException.Refused no
                    && !no.reason().passes();
            if (isFinal || runtime.clock().nanoTime() - deadline - patienceNanos > 0) {
                from.counters().count(Event.HOLD_NOT_RESTORED);
                lock.notRestored(lost(lock, String.valueOf(failure.getMessage()), failure));
                settled();
            } else {
                lock.notRestored(null);
                later(RETRY_NANOS, () -> restore(lock));
            }
        }

        private void settled() {
            if (isLast()) {
                // The memory node must not be asked for a record of a name that it has given up.
                from.unregistered().whenResolved(this::declare);
            }
        }

        private boolean isLast() {
            return unsettled.decrementAndGet() == 0;
        }

        private void declare() {
            if (from.isOver() || from.declaredList() >= list.number()) {
                // The next session is told of the list when it joins; or a later list was declared while this one was
                // refused.
                return;
            }
            from.fabric().control().declareNodes(list).whenComplete((ok, failure) -> {
                if (failure == null) {
                    from.declaredList(list.number());
                    nodes.retryUnbound();
                } else {
                    log.debug("Memory node {} has not taken {}", from.joined().memoryNodeId(), list, failure);
                    later(PATIENT_RETRY_NANOS, this::declare);
                }
            });
        }
    }

    private static LockLostException lost(LocalLock lock, String why, @Nullable Throwable cause) {
        return new LockLostException(
                lock.title() + " was lost when its name moved to another memory node: " + why, cause);
    }

    // ---------------------------------------------------------------- arriving at the others

    /** Waits for the word of a memory node that has given names up, and carries it to all that take them over. */
    private void carry(String source) {
        List<String> open = new ArrayList<>();
        for (NodeList.Node target : list.targets()) {
            if (isAwaitedBy(target.id(), source)) {
                open.add(target.id());
            } else {
                carried.add(pair(source, target.id()));
            }
        }
        if (open.isEmpty()) {
            settleIfAllIsCarried();
            return;
        }
        NodeSession from = sessionWith(source);
        if (from == null) {
            unreachable.add(source);
            open.forEach(target -> lookWhetherCarried(source, target));
            later(PATIENT_RETRY_NANOS, () -> carryIfStillToDo(source));
        } else if (from.declaredList() < list.number()) {
            later(RETRY_NANOS, () -> carry(source));
        } else {
            from.fabric().control().awaitGivenUp(list.number()).whenComplete((epoch, failure) -> {
                if (failure == null) {
                    open.forEach(target -> tell(target, new GivenUp(source, list.number(), epoch)));
                } else {
                    // The request has timed out, or the session is over.
                    later(RETRY_NANOS, () -> carry(source));
                }
            });
        }
    }

    private void carryIfStillToDo(String source) {
        if (unreachable.remove(source)) {
            carry(source);
        }
    }

    /** A process that was told of the list when it joined knows whom its memory nodes await. */
    private boolean isAwaitedBy(String target, String source) {
        if (carried.contains(pair(source, target))) {
            return false;
        }
        NodeSession session = sessionWith(target);
        return session == null
                || !left.isEmpty()
                || session.joined().nodes().list().number() < list.number()
                || session.joined().nodes().awaited().contains(source);
    }

    private static String pair(String source, String target) {
        return source + '\0' + target;
    }

    private void tell(String target, GivenUp word) {
        NodeSession to = sessionWith(target);
        if (to == null || to.declaredList() < list.number()) {
            later(RETRY_NANOS, () -> tell(target, word));
            return;
        }
        to.fabric().control().takeOver(word).whenComplete((epoch, failure) -> {
            if (failure == null) {
                arrived(word.source(), target, to, epoch);
            } else {
                later(PATIENT_RETRY_NANOS, () -> tell(target, word));
            }
        });
    }

    /** The source cannot be reached: another process may have carried its word. */
    private void lookWhetherCarried(String source, String target) {
        NodeSession to = sessionWith(target);
        if (to == null) {
            return;
        }
        to.fabric().control().nodes().whenComplete((state, failure) -> {
            if (failure == null
                    && state.list().number() >= list.number()
                    && (state.list().number() > list.number()
                            || !state.awaited().contains(source))) {
                tell(target, new GivenUp(source, list.number(), 0));
            }
        });
    }

    private void arrived(String source, String target, NodeSession to, long epoch) {
        to.sawEpoch(epoch);
        Queue<Restored> holds = restored.getOrDefault(source, new ConcurrentLinkedQueue<>());
        holds.forEach(hold -> {
            if (hold.at == to) {
                Isolated.run("Moving " + hold.lock.title(), () -> {
                    to.counters().count(Event.HOLD_RESTORED);
                    hold.lock.moved(to, lost(hold.lock, "its lease ran out before it counted there", null));
                    hold.lock.graceOver(to, epoch);
                });
            }
        });
        holds.removeIf(hold -> hold.at == to);
        carried.add(pair(source, target));
        settleIfAllIsCarried();
    }

    private void settleIfAllIsCarried() {
        Set<String> all = new HashSet<>();
        list.sources().forEach(source -> list.targets().forEach(target -> all.add(pair(source.id(), target.id()))));
        if (carried.containsAll(all) && settled.compareAndSet(false, true)) {
            left.forEach(session -> session.locks().departuresEnded());
            log.info("Went over to list {} of memory nodes", list.number());
            whenSettled.accept(this);
        }
    }
}
