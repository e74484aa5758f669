// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeRefusedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.internal.local.LocalLock;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.session.ClockSync;
import io.declock.internal.session.KnownNodeSet;
import io.declock.internal.session.MemoryNodeLink;
import io.declock.internal.session.NodeSession;
import io.declock.internal.session.Surroundings;
import io.declock.spi.Fabric;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory nodes of one compute node: starts and ends what belongs to them, and has each of these parts hear of the sessions that begin
 * and end. Names may be mapped as soon as the set of memory nodes is known ({@link KnownNodeSet}), also while some of them were never
 * joined. Thread-safe.
 */
final class MemoryNodes implements MemoryNodeLink.Listener {
    private static final Logger log = LoggerFactory.getLogger(MemoryNodes.class);
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(2);

    private final ComputeNodeSettings settings;
    private final LockTable table;
    private final Waiting changed;
    private final KnownNodeSet nodeSet;
    private final MemoryNodeLinks links;
    private final Unavailability unavailability;
    private final Binder binder;
    private final NodeListFollower lists;
    private final Leaving leaving;
    private final ClockSync clockSync;

    MemoryNodes(
            List<MemoryNodeAddress> addresses,
            List<Fabric> fabrics,
            ComputeNodeSettings settings,
            NodeRuntime runtime,
            NodeCounters counters,
            LockTable table) {
        this.settings = settings;
        this.table = table;
        this.changed = runtime.waiting();
        this.nodeSet = new KnownNodeSet(addresses.size(), this::listLearnt);
        Surroundings surroundings = new Surroundings(
                runtime.clock(),
                runtime.timer(),
                runtime.random(),
                counters,
                runtime.processId(),
                nodeSet,
                new LockInquiries(table, settings.namespace(), runtime.clock()),
                settings.keep().enabled());
        this.links = new MemoryNodeLinks(fabrics, settings, surroundings, this);
        addresses.forEach(links::add);
        this.unavailability = new Unavailability(links);
        this.binder = new Binder(settings, table, links, unavailability, runtime.timer());
        this.lists = new NodeListFollower(
                links, nodeSet, binder, table, runtime, settings.lease().toNanos());
        this.leaving = new Leaving(links, table, runtime);
        this.clockSync = new ClockSync(links::all, surroundings, settings.clockSyncInterval());
    }

    private void listLearnt(NodeList list) {
        lists.learnt(list);
    }

    // ---------------------------------------------------------------- for callers and people

    Collection<MemoryNodeLink> links() {
        return links.all();
    }

    /** Returns the fabrics' details that belong to no session. */
    Map<String, Object> fabricDetails() {
        return links.fabricDetails();
    }

    Duration eventLoopLag() {
        return links.eventLoopLag();
    }

    /** Returns the link of a name's memory node, or null while it cannot be told which one that is. */
    @Nullable
    MemoryNodeLink linkOf(String name) {
        return binder.linkOf(name);
    }

    String fullName(String name) {
        return binder.fullName(name);
    }

    /** Returns the exception for a lock whose memory node is unavailable, or null if there is a connection to it. */
    @Nullable
    MemoryNodeUnavailableException unavailable(String name) {
        MemoryNodeLink link = linkOf(name);
        return link != null && link.downNanos() == 0 ? null : unavailable(name, link);
    }

    MemoryNodeUnavailableException unavailable(String name, @Nullable MemoryNodeLink link) {
        return unavailability.of(name, link);
    }

    void bind(LocalLock lock) {
        binder.bind(lock);
    }

    void forgotten(LocalLock lock) {
        binder.forgotten(lock);
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
        declareIfLearntMeanwhile(link, session);
        lists.joined(link, session);
        binder.retryUnbound();
        signal();
    }

    /** Learns the set of memory nodes, declares it in every session, and only then lets names be mapped by it (rule C11). */
    private void learnNodeSet() {
        List<String> ids = links.ids();
        if (ids.stream().distinct().count() != ids.size()) {
            log.error("Several configured addresses belong to the same memory node: {}", ids);
            return;
        }
        if (ids.size() == links.all().size()) {
            nodeSet.learn(NodeSet.of(ids));
        }
        NodeSet known = nodeSet.get();
        if (!known.isNone() && !binder.isMapping() && nodeSet.list().isNone()) {
            links.all().forEach(MemoryNodeLink::declareNodeSet);
            binder.map(known);
        }
    }

    /** Another memory node may have told the set after this one was asked to agree, and before its session could be found (rule C11). */
    private void declareIfLearntMeanwhile(MemoryNodeLink link, NodeSession session) {
        NodeSet known = nodeSet.get();
        if (known.size() > 1 && binder.isMapping() && nodeSet.list().isNone() && !known.equals(session.declaredSet())) {
            link.declareNodeSet();
        }
    }

    @Override
    public void down(MemoryNodeLink link) {
        if (link.refusal() != null || settings.failFast()) {
            binder.retryUnbound();
        }
        signal();
    }

    @Override
    public void reclaimProposed(NodeSession session, long round, long[] records) {
        List<Long> vetoed = new ArrayList<>();
        Set<Long> unregistered = session.unregistered().get();
        for (long record : records) {
            LocalLock lock = session.locks().at(record);
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

    // ---------------------------------------------------------------- waiting and leaving

    boolean awaitReady(Duration timeout) throws InterruptedException {
        boolean ready = awaitCondition(() -> isReady() || unavailability.refusal() != null, timeout);
        MemoryNodeRefusedException refused = unavailability.refusal();
        if (refused != null) {
            throw refused;
        }
        return ready;
    }

    private boolean isReady() {
        return binder.isMapping() && links.all().stream().allMatch(link -> link.session() != null);
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
        lists.stop();
        leaving.leave(clean, timeout);
    }

    // ---------------------------------------------------------------- components

    List<ManagedComponent> components() {
        return List.of(
                new ManagedComponent("sessions", lists::start, () -> leave(false, LEAVE_TIMEOUT)),
                new ManagedComponent("reset-coordinator", () -> coordinate(true), () -> coordinate(false)),
                new ManagedComponent("clock-sync", clockSync::start, clockSync::stop));
    }

    private void coordinate(boolean on) {
        links.all().forEach(link -> link.coordinate(on));
    }
}
