// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.ComputeNodeMonitor;
import io.declock.Counters;
import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.Verb;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Counters and gauges of the compute node. Tags take their values from enums and from the configured memory nodes; lock names are
 * never tags. Thread-safe.
 */
public final class DecLockMetrics implements MeterBinder {
    private final ComputeNodeMonitor monitor;
    private final List<String> memoryNodes;
    private final boolean rdma;

    /**
     * Makes the metrics.
     *
     * @param memoryNodes each configured memory node's value of the tag {@code memory.node}; others are added and removed while the
     *     application runs
     * @param rdma whether any of them is reached by RDMA
     */
    public DecLockMetrics(ComputeNodeMonitor monitor, List<String> memoryNodes, boolean rdma) {
        this.monitor = monitor;
        this.memoryNodes = List.copyOf(memoryNodes);
        this.rdma = rdma;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "declock.held", "Locks held now", ComputeNodeMonitor::heldNow);
        gauge(registry, "declock.kept", "Locks kept now without being held", ComputeNodeMonitor::keptNow);
        gauge(registry, "declock.waiting", "Callers waiting for a lock now", ComputeNodeMonitor::waitingNow);
        gauge(
                registry,
                "declock.names",
                "Lock names in the table of this application, idle ones included",
                ComputeNodeMonitor::tableSize);
        time(
                registry,
                "declock.hold.longest",
                "How long the lock that is held for longest has been held",
                ComputeNodeMonitor::longestHold);
        time(
                registry,
                "declock.event.loop.lag",
                "Longest wait for an event loop in the last minute",
                ComputeNodeMonitor::eventLoopLag);
        grants(registry);
        remoteOperations(registry);
        events(registry);
        if (rdma) {
            new RdmaMetrics(monitor).bindTo(registry);
        }
        new MemoryNodeMetrics(monitor, memoryNodes, registry).begin();
    }

    private void gauge(
            MeterRegistry registry, String name, String description, ToDoubleFunction<ComputeNodeMonitor> value) {
        Gauge.builder(name, monitor, value).description(description).register(registry);
    }

    private void time(
            MeterRegistry registry, String name, String description, Function<ComputeNodeMonitor, Duration> value) {
        TimeGauge.builder(
                        name,
                        monitor,
                        TimeUnit.NANOSECONDS,
                        source -> value.apply(source).toNanos())
                .description(description)
                .register(registry);
    }

    private void grants(MeterRegistry registry) {
        String name = "declock.grants";
        String description = "Grants, by kind";
        count(registry, name, description, Tags.of("kind", "uncontended"), Event.GRANT_UNCONTENDED);
        count(registry, name, description, Tags.of("kind", "queued"), Event.GRANT_QUEUED);
        count(registry, name, description, Tags.of("kind", "local"), Event.GRANT_LOCAL);
        count(registry, name, description, Tags.of("kind", "peer"), Event.GRANT_PEER);
    }

    private void remoteOperations(MeterRegistry registry) {
        for (Purpose purpose : Purpose.values()) {
            for (Verb verb : Verb.values()) {
                // The lock posts no other ones.
                if (!verb.isExtended()) {
                    operations(registry, purpose, verb);
                }
            }
        }
    }

    private void operations(MeterRegistry registry, Purpose purpose, Verb verb) {
        FunctionCounter.builder(
                        "declock.remote.operations",
                        monitor,
                        source -> source.counters().verbs(purpose, verb))
                .description("Operations on the memory of memory nodes")
                .tags("verb", Texts.of(verb), "purpose", Texts.of(purpose))
                .register(registry);
    }

    private void events(MeterRegistry registry) {
        count(
                registry,
                "declock.remote.acquisitions",
                "Acquisitions that took a queue position at a memory node",
                Tags.empty(),
                Event.REMOTE_ACQUISITION);
        count(registry, "declock.handovers", "Grants sent to other instances", Tags.empty(), Event.HAND_OVER);
        count(
                registry,
                "declock.handovers.pre.armed",
                "Grants sent before this instance's own release had completed",
                Tags.empty(),
                Event.HAND_OVER_PRE_ARMED);
        count(
                registry,
                "declock.grants.dropped",
                "Grants received and not used",
                Tags.of("reason", "unmatched"),
                Event.GRANT_IGNORED);
        count(
                registry,
                "declock.grants.dropped",
                "Grants received and not used",
                Tags.of("reason", "old.incarnation"),
                Event.GRANT_REFUSED);
        count(
                registry,
                "declock.self.checks",
                "Times a waiter checked on its own whether it was granted",
                Tags.empty(),
                Event.SELF_CHECK);
        count(
                registry,
                "declock.self.checks.granted",
                "Self-checks that found a grant",
                Tags.empty(),
                Event.SELF_CHECK_GRANT);
        count(
                registry,
                "declock.refetches",
                "Queue reads repeated because entries were not filled yet",
                Tags.empty(),
                Event.REFETCH);
        count(
                registry,
                "declock.orphans",
                "Queue positions passed on because no caller wanted them any more",
                Tags.empty(),
                Event.ORPHAN);
        count(
                registry,
                "declock.keeps",
                "Locks kept after their last user had released them",
                Tags.empty(),
                Event.KEPT);
        count(
                registry,
                "declock.keeps.wanted",
                "Times another instance asked for a lock that is kept",
                Tags.empty(),
                Event.KEPT_WANTED);
        count(registry, "declock.resets", "Lock resets", Tags.of("stage", "started"), Event.RESET_STARTED);
        count(registry, "declock.resets", "Lock resets", Tags.of("stage", "completed"), Event.RESET_COMPLETED);
        count(registry, "declock.resets", "Lock resets", Tags.of("stage", "taken.over"), Event.RESET_TAKEN_OVER);
        count(
                registry,
                "declock.retries",
                "Acquisitions restarted because of a reset",
                Tags.empty(),
                Event.RETRY_AFTER_RESET);
        count(
                registry,
                "declock.sessions.resumed",
                "Sessions that went on with another connection",
                Tags.empty(),
                Event.SESSION_RESUMED);
        count(registry, "declock.sessions.lost", "Sessions with memory nodes lost", Tags.empty(), Event.SESSION_LOST);
        count(
                registry,
                "declock.holds.lost",
                "Holds that ended before their owner released them",
                Tags.empty(),
                Event.HOLD_LOST);
        count(
                registry,
                "declock.holds.restored",
                "Holds that a memory node restored after it had started again",
                Tags.of("outcome", "restored"),
                Event.HOLD_RESTORED);
        count(
                registry,
                "declock.holds.restored",
                "Holds that a memory node restored after it had started again",
                Tags.of("outcome", "refused"),
                Event.HOLD_NOT_RESTORED);
        count(
                registry,
                "declock.peer.messages",
                "Messages to other instances",
                Tags.of("route", "direct"),
                Event.PEER_DIRECT);
        count(
                registry,
                "declock.peer.messages",
                "Messages to other instances",
                Tags.of("route", "relayed"),
                Event.PEER_RELAYED);
        count(
                registry,
                "declock.bad.frames",
                "Malformed frames; each closed its connection",
                Tags.empty(),
                Event.BAD_FRAME);
        count(registry, "declock.parks", "Times a waiting thread was parked", Tags.empty(), Event.PARK);
    }

    private void count(MeterRegistry registry, String name, String description, Tags tags, Event event) {
        FunctionCounter.builder(name, monitor, source -> counter(source.counters(), event))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private static double counter(Counters counters, Event event) {
        return counters.get(event);
    }
}
