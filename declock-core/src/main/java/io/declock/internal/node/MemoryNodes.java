// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.ComputeNodeSettings;
import io.declock.LockNames;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeRefusedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.internal.local.LocalLock;
import io.declock.internal.monitor.Isolated;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.session.ClockSync;
import io.declock.internal.session.KnownNodeSet;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.internal.session.StageFailure;
import io.declock.internal.session.Surroundings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import io.declock.spi.Resolution;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory nodes of one compute node. Maps names to them and binds locks to their records there. Names map to stable ids, so they can be
 * mapped as soon as the set of memory nodes is known ({@link KnownNodeSet}), also while some of them were never joined. Thread-safe.
 */
final class MemoryNodes implements MemoryNodeLink.Listener, Relocation.Nodes {
    private static final Logger log = LoggerFactory.getLogger(MemoryNodes.class);
    private static final long LEAVE_CHECK_NANOS = 5_000_000L;
    private static final long NOT_YET_RETRY_NANOS = 100_000_000L;

    private final ComputeNodeSettings settings;
    private final LockTable table;
    private final NodeRuntime runtime;
    private final List<MemoryNodeLink> links = new CopyOnWriteArrayList<>();
    private final List<Fabric> fabrics;
    private final ClockSync clockSync;
    /** The locks that wait for a session, by name. */
    private final Map<String, LocalLock> unbound = new ConcurrentHashMap<>();

    private final Waiting changed;
    private final KnownNodeSet nodeSet;
    private final AtomicBoolean leaveCheckPlanned = new AtomicBoolean();
    private final Surroundings surroundings;
    private final ReentrantLock relocating = new ReentrantLock();

    @GuardedBy("relocating")
    private @Nullable Relocation relocation;

    @GuardedBy("relocating")
    private boolean isStarted;

    /** How names map to memory nodes, once every session has declared the set of these. */
    private volatile @Nullable Mapping mapping;

    MemoryNodes(
            List<MemoryNodeAddress> addresses,
            List<Fabric> fabrics,
            ComputeNodeSettings settings,
            NodeRuntime runtime,
            NodeCounters counters,
            LockTable table) {
        this.settings = settings;
        this.table = table;
        this.runtime = runtime;
        this.fabrics = fabrics;
        this.changed = runtime.waiting();
        this.nodeSet = new KnownNodeSet(addresses.size(), this::listLearnt);
        this.surroundings = new Surroundings(
                runtime.clock(), runtime.timer(), runtime.random(), counters, runtime.processId(), nodeSet);
        for (MemoryNodeAddress address : addresses) {
            links.add(new MemoryNodeLink(address, fabricFor(address), settings, surroundings, this));
        }
        this.clockSync = new ClockSync(this::links, surroundings, settings.clockSyncInterval());
    }

    private Fabric fabricFor(MemoryNodeAddress address) {
        for (Fabric fabric : fabrics) {
            if (fabric.supports(address)) {
                return fabric;
            }
        }
        throw new IllegalArgumentException("no fabric for memory node " + address + ": its scheme is '"
                + address.scheme() + "'; tcp needs TcpFabric, rdma needs the module declock-rdma");
    }

    /** Returns the fabrics' details that belong to no session. */
    Map<String, Object> fabricDetails() {
        Map<String, Object> details = new LinkedHashMap<>();
        fabrics.forEach(fabric -> details.putAll(fabric.details()));
        return details;
    }

    Duration eventLoopLag() {
        return fabrics.stream()
                .map(Fabric::eventLoopLag)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    Collection<MemoryNodeLink> links() {
        return links;
    }

    // ---------------------------------------------------------------- binding names to records

    /**
     * Returns the link of a name's memory node, or null while it cannot be told which one that is. The session of a lock that is bound tells
     * it without a hash of the name.
     */
    @Nullable
    MemoryNodeLink linkOf(String name) {
        if (links.size() == 1) {
            return links.get(0);
        }
        LocalLock known = table.find(name);
        CqlEnvironment bound = known == null ? null : known.session();
        for (MemoryNodeLink link : links) {
            if (bound != null && bound == link.session()) {
                return link;
            }
        }
        Mapping present = mapping;
        return present == null ? null : linkWith(present.homeOf(fullName(name)));
    }

    /** Returns the link of the memory node whose id has this hash. One that was never joined is known if all others were. */
    private @Nullable MemoryNodeLink linkWith(long idHash) {
        MemoryNodeLink unknown = null;
        int unknowns = 0;
        for (MemoryNodeLink link : links) {
            if (link.memoryNodeId().isEmpty()) {
                unknown = link;
                unknowns++;
            } else if (link.memoryNodeIdHash() == idHash) {
                return link;
            }
        }
        return unknowns == 1 ? unknown : null;
    }

    @Override
    public String fullName(String name) {
        return settings.namespace() + '\0' + name;
    }

    void bind(LocalLock lock) {
        Mapping present = beginBinding();
        MemoryNodeLink link = linkOf(lock.name());
        NodeSession session = link == null || present == null ? null : link.session();
        if (present == null
                || link == null
                || session == null
                || !present.mayAsk(fullName(lock.name()), session.declaredList())) {
            bindLater(lock, link);
            if (present != null) {
                present.end();
            }
            return;
        }
        CompletableFuture<Resolution> answer;
        try {
            answer = session.resolve(fullName(lock.name()));
        } catch (RuntimeException | Error e) {
            log.error("Looking {} up at memory node {} failed; trying again", lock.title(), link.address(), e);
            notResolved(lock, link, session, e);
            present.end();
            return;
        }
        answer.whenComplete((resolution, failure) -> {
            if (failure == null) {
                link.sawEpoch(resolution.epoch());
                session.register(resolution.record(), lock);
                session.resolved(answer);
                attach(lock, link, session, resolution);
            } else {
                session.resolved(answer);
                notResolved(lock, link, session, failure);
            }
            present.end();
        });
    }

    /** Returns the present mapping, for a lock that is bound by it, or null if there is none. */
    private @Nullable Mapping beginBinding() {
        while (true) {
            Mapping present = mapping;
            if (present == null) {
                return null;
            }
            present.begin();
            if (mapping == present) {
                return present;
            }
            present.end();
        }
    }

    private void attach(LocalLock lock, MemoryNodeLink link, NodeSession session, Resolution resolution) {
        if (session.isOver()) {
            session.unregister(resolution.record(), lock);
            bindLater(lock, link);
            return;
        }
        lock.bound(session, resolution);
        // The session may have ended after the check above, and notified only the locks that were bound by then.
        session.loseIfOver(resolution.record(), lock);
    }

    private void notResolved(LocalLock lock, MemoryNodeLink link, NodeSession session, Throwable failure) {
        Throwable cause = StageFailure.unwrapped(failure);
        if (cause instanceof FabricException.Refused refused
                && !refused.reason().passes()) {
            lock.bindFailed(new MemoryNodeRefusedException(
                    "memory node " + link.memoryNodeId() + " (" + link.address() + ") refused " + lock.title() + ": "
                            + refused.getMessage(),
                    refused));
        } else if (session.isOver() || link.session() != session) {
            bindLater(lock, link);
        } else {
            lock.bindFailed(null);
            unbound.put(lock.name(), lock);
            runtime.timer().schedule(NOT_YET_RETRY_NANOS, () -> retry(lock));
        }
    }

    /** Defers the binding for lack of a session: callers wait for the next session, unless they are to fail at once. */
    private void bindLater(LocalLock lock, @Nullable MemoryNodeLink link) {
        FabricException.Refused refusal = link == null ? null : link.refusal();
        if (link != null && refusal != null) {
            lock.bindFailed(refused(link, refusal));
            return;
        }
        if (settings.failFast() && hasProblem(link)) {
            lock.bindFailed(unavailable(lock.name(), link));
            return;
        }
        // In this order: a retry removes the lock from the set, and has no effect while the lock counts as being bound.
        lock.bindFailed(null);
        unbound.put(lock.name(), lock);
        MemoryNodeLink present = linkOf(lock.name());
        Mapping how = mapping;
        NodeSession session = present == null ? null : present.session();
        if (session != null && how != null && how.mayAsk(fullName(lock.name()), session.declaredList())) {
            // The session began, or the list was declared, before the lock was in the set.
            retry(lock);
        }
    }

    /** Returns whether a memory node is known to be unavailable; if it is not known which one is meant, whether any that may be meant is. */
    private boolean hasProblem(@Nullable MemoryNodeLink link) {
        return link != null
                ? !link.problem().isEmpty()
                : links.stream()
                        .anyMatch(other -> other.memoryNodeId().isEmpty()
                                && !other.problem().isEmpty());
    }

    private void retry(LocalLock lock) {
        if (unbound.remove(lock.name(), lock)) {
            Isolated.run("Binding " + lock.title(), lock::retryBinding);
        }
    }

    /**
     * Tries once to bind each lock that waits for a session. A lock that fails waits again: the session may have ended before this listener
     * learns of its beginning, when the answer came later than the lease lasts.
     */
    @Override
    public void retryUnbound() {
        List.copyOf(unbound.values()).forEach(this::retry);
    }

    // ---------------------------------------------------------------- sessions

    @Override
    public void joined(MemoryNodeLink link, NodeSession session) {
        log.info(
                "Joined memory node {} ({}) as node {}.{}, lease {}",
                link.memoryNodeId(),
                link.address(),
                session.nodeId(),
                session.incarnation(),
                Duration.ofNanos(session.joined().leaseNanos()));
        learnNodeSet();
        dropOther(link);
        sessionsChanged(session);
        retryUnbound();
        signal();
    }

    /** Learns the set of memory nodes, declares it in every session, and only then lets names be mapped by it (rule C11). */
    private void learnNodeSet() {
        List<String> ids = links.stream()
                .map(MemoryNodeLink::memoryNodeId)
                .filter(id -> !id.isEmpty())
                .toList();
        if (ids.stream().distinct().count() != ids.size()) {
            log.error("Several configured addresses belong to the same memory node: {}", ids);
            return;
        }
        if (ids.size() == links.size()) {
            nodeSet.learn(NodeSet.of(ids));
        }
        NodeSet known = nodeSet.get();
        if (!known.isNone() && mapping == null && nodeSet.list().isNone()) {
            links.forEach(MemoryNodeLink::declareNodeSet);
            mapping = new Mapping(known);
        }
    }

    // ---------------------------------------------------------------- lists of memory nodes that replace one another

    /** A memory node has told a newer list. Another one that is being gone over to comes first, except at the start of this process. */
    private void listLearnt(NodeList list) {
        List<MemoryNodeLink> added;
        Relocation next = null;
        relocating.lock();
        try {
            added = addLinks(list);
            Relocation present = relocation;
            if (present == null || present.isFirst()) {
                next = relocationTo(list, mapping == null || present != null);
                relocation = next;
            }
            if (present != null && next != null) {
                present.stop();
            }
        } finally {
            relocating.unlock();
        }
        added.forEach(MemoryNodeLink::start);
        if (next != null) {
            next.start();
        }
    }

    private Relocation relocationTo(NodeList list, boolean isFirst) {
        return new Relocation(list, isFirst, this, runtime, settings.lease().toNanos(), this::settled);
    }

    private @Nullable Relocation relocation() {
        relocating.lock();
        try {
            return relocation;
        } finally {
            relocating.unlock();
        }
    }

    private void sessionsChanged(NodeSession session) {
        Relocation present = relocation();
        NodeList list = nodeSet.list();
        if (present != null) {
            present.sessionsChanged();
        } else if (!list.isNone()) {
            if (session.declaredList() < list.number()
                    || !session.joined().nodes().awaited().isEmpty()) {
                goOverAgain(list);
            }
            dropUnused(list);
        }
    }

    /** A memory node does not have the list, or has started again before it had taken all names over and has forgotten the words that it had heard. */
    private void goOverAgain(NodeList list) {
        Relocation again;
        relocating.lock();
        try {
            if (relocation != null) {
                return;
            }
            again = relocationTo(list, true);
            relocation = again;
        } finally {
            relocating.unlock();
        }
        again.start();
    }

    /** Adds the links to memory nodes that have none, and returns those that must be started. */
    @GuardedBy("relocating")
    private List<MemoryNodeLink> addLinks(NodeList list) {
        List<NodeList.Node> all = new ArrayList<>(list.nodes());
        if (!list.added()) {
            // It has names to give up.
            all.add(list.changed());
        }
        List<MemoryNodeLink> added = new ArrayList<>();
        for (NodeList.Node node : all) {
            links.stream()
                    .filter(link -> link.address().toString().equals(node.address()))
                    .forEach(link -> link.expect(node.id()));
            MemoryNodeLink fresh = linkTo(node.id()) == null ? linkTo(node) : null;
            if (fresh != null) {
                links.add(fresh);
                added.add(fresh);
            }
        }
        return isStarted ? added : List.of();
    }

    private @Nullable MemoryNodeLink linkTo(NodeList.Node node) {
        try {
            MemoryNodeAddress address = MemoryNodeAddress.parse(node.address());
            return new MemoryNodeLink(node, fabricFor(address), settings, surroundings, this);
        } catch (IllegalArgumentException e) {
            log.error("Locks of memory node {} cannot be acquired: its address cannot be used here", node.id(), e);
            return null;
        }
    }

    /** A memory node that was configured by another address than that of the list has two links: the second one is dropped. */
    private void dropOther(MemoryNodeLink joined) {
        boolean isSecond = links.stream()
                        .filter(link -> link.memoryNodeId().equals(joined.memoryNodeId()))
                        .findFirst()
                        .orElse(joined)
                != joined;
        if (isSecond && !nodeSet.list().isNone()) {
            drop(joined);
        }
    }

    private void drop(MemoryNodeLink link) {
        links.remove(link);
        link.stop(true);
        signal();
    }

    /** Everything by a list is done. */
    private void settled(Relocation done) {
        NodeList newest = nodeSet.list();
        Relocation next = null;
        relocating.lock();
        try {
            if (relocation != done) {
                return;
            }
            if (done.list().number() < newest.number()) {
                next = relocationTo(newest, false);
            }
            relocation = next;
        } finally {
            relocating.unlock();
        }
        if (next != null) {
            next.start();
        }
        dropUnused(newest);
    }

    /** Drops the links to memory nodes that are not on the list, once every one that is has been joined. */
    private void dropUnused(NodeList list) {
        if (relocation() != null || !list.nodes().stream().allMatch(node -> isJoined(node.id()))) {
            return;
        }
        for (MemoryNodeLink link : links) {
            if (list.node(link.memoryNodeId()).isEmpty()) {
                log.info(
                        "Memory node {} ({}) is not on {} any more: leaving it",
                        link.memoryNodeId(),
                        link.address(),
                        list.describe());
                drop(link);
            }
        }
    }

    private boolean isJoined(String id) {
        MemoryNodeLink link = linkTo(id);
        return link != null && link.session() != null;
    }

    @Override
    public @Nullable MemoryNodeLink linkTo(String id) {
        for (MemoryNodeLink link : links) {
            if (link.memoryNodeId().equals(id)) {
                return link;
            }
        }
        return null;
    }

    @Override
    public List<NodeSession> sessions() {
        List<NodeSession> all = new ArrayList<>();
        for (MemoryNodeLink link : links) {
            NodeSession session = link.session();
            if (session != null) {
                all.add(session);
            }
        }
        return all;
    }

    @Override
    public Iterable<LocalLock> locks() {
        return table.all();
    }

    @Override
    public @Nullable NodeSession homeSession(String name) {
        Mapping present = mapping;
        MemoryNodeLink link = present == null ? null : linkWith(present.homeOf(fullName(name)));
        NodeSession session = link == null ? null : link.session();
        return session == null || session.isOver() ? null : session;
    }

    @Override
    public void map(NodeList list, Runnable then) {
        Mapping former = mapping;
        nodeSet.use(list);
        mapping = new Mapping(list);
        if (former == null) {
            then.run();
        } else {
            former.replaced(then);
        }
    }

    @Override
    public void down(MemoryNodeLink link) {
        if (link.refusal() != null || settings.failFast()) {
            retryUnbound();
        }
        signal();
    }

    @Override
    public void reclaimProposed(NodeSession session, long round, long[] records) {
        List<Long> vetoed = new ArrayList<>();
        Set<Long> unregistered = session.unregisteredRecords();
        for (long record : records) {
            LocalLock lock = session.lockAt(record);
            if (unregistered == null
                    || unregistered.contains(record)
                    || lock != null && !table.forget(lock)
                    || session.leadsReset(record)) {
                vetoed.add(record);
            }
        }
        session.fabric()
                .control()
                .answerReclaim(round, vetoed.stream().mapToLong(Long::longValue).toArray());
    }

    boolean awaitReady(Duration timeout) throws InterruptedException {
        boolean ready = awaitCondition(
                () -> mapping != null && links.stream().allMatch(link -> link.session() != null) || refusal() != null,
                timeout);
        MemoryNodeRefusedException refused = refusal();
        if (refused != null) {
            throw refused;
        }
        return ready;
    }

    private @Nullable MemoryNodeRefusedException refusal() {
        for (MemoryNodeLink link : links) {
            FabricException.Refused refusal = link.refusal();
            if (refusal != null) {
                return refused(link, refusal);
            }
        }
        return null;
    }

    private static MemoryNodeRefusedException refused(MemoryNodeLink link, FabricException.Refused refusal) {
        return new MemoryNodeRefusedException(
                "memory node " + link.address() + " refused this process: " + refusal.getMessage(), refusal);
    }

    boolean awaitCondition(BooleanSupplier condition, Duration timeout) throws InterruptedException {
        return changed.await(condition, NodeRuntime.nanos(timeout));
    }

    /** Makes the threads that wait for a condition check it again. Allowed under any mutex. */
    void signal() {
        changed.signal();
    }

    void leave(boolean clean, Duration timeout) {
        clockSync.stop();
        Relocation present = relocation();
        if (present != null) {
            present.stop();
        }
        try {
            boolean idle = clean && awaitCondition(this::hasNoPosition, timeout);
            links.forEach(link -> link.stop(idle));
            awaitCondition(() -> links.stream().allMatch(link -> link.session() == null), timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        links.forEach(link -> link.stop(false));
    }

    /**
     * Returns whether no lock has a queue position; checks again later if one has. A position may belong to an orphaned request or a
     * release under way. If the node left before the release landed, other compute nodes would have to treat it as dead.
     */
    private boolean hasNoPosition() {
        for (LocalLock lock : table.all()) {
            if (lock.hasPosition()) {
                checkAgainLater();
                return false;
            }
        }
        return true;
    }

    /** Plans one check, however often the condition is looked at in between. */
    private void checkAgainLater() {
        if (leaveCheckPlanned.compareAndSet(false, true)) {
            runtime.timer().schedule(LEAVE_CHECK_NANOS, () -> {
                leaveCheckPlanned.set(false);
                signal();
            });
        }
    }

    void forgotten(LocalLock lock) {
        unbound.remove(lock.name(), lock);
    }

    /** Returns the exception for a lock whose memory node is unavailable, or null if there is a connection to it. */
    @Nullable
    MemoryNodeUnavailableException unavailable(String name) {
        MemoryNodeLink link = linkOf(name);
        return link != null && link.downNanos() == 0 ? null : unavailable(name, link);
    }

    MemoryNodeUnavailableException unavailable(String name, @Nullable MemoryNodeLink link) {
        String where = link == null
                ? "a memory node that is not known yet, because these were never joined: " + neverJoined()
                : "memory node " + link.address() + ", which is unavailable"
                        + (link.problem().isEmpty() ? "" : ": " + link.problem());
        return new MemoryNodeUnavailableException("lock " + LockNames.quoted(name) + " lives on " + where);
    }

    private String neverJoined() {
        return links.stream()
                .filter(link -> link.memoryNodeId().isEmpty())
                .map(link -> link.address() + (link.problem().isEmpty() ? "" : " (" + link.problem() + ")"))
                .collect(Collectors.joining(", "));
    }

    // ---------------------------------------------------------------- components

    List<ManagedComponent> components() {
        return List.of(
                new ManagedComponent("sessions", this::startLinks, () -> leave(false, Duration.ofSeconds(2))),
                new ManagedComponent("reset-coordinator", () -> coordinate(true), () -> coordinate(false)),
                new ManagedComponent("clock-sync", clockSync::start, clockSync::stop));
    }

    private void startLinks() {
        relocating.lock();
        try {
            isStarted = true;
        } finally {
            relocating.unlock();
        }
        links.forEach(MemoryNodeLink::start);
    }

    private void coordinate(boolean on) {
        links.forEach(link -> link.coordinate(on));
    }
}
