// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.internal.election.Standing;
import io.declock.internal.memorynode.MemoryNodeStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Metrics of the memory node. */
final class MemoryNodeMetrics implements MeterBinder {
    private static final String PREFIX = "declock.server.";

    private final MemoryNodeService service;

    MemoryNodeMetrics(MemoryNodeService service) {
        this.service = service;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(
                registry,
                "sessions",
                "Services that have joined",
                status -> status.sessions().size());
        gauge(registry, "records.used", "Lock records that belong to a name", MemoryNodeStatus::recordsInUse);
        gauge(registry, "records.capacity", "Lock records that fit in the region", MemoryNodeStatus::recordsTotal);
        gauge(
                registry,
                "records.session.max",
                "Most lock records that one service has created and that were not reclaimed",
                MemoryNodeStatus::mostRecordsOfOneSession);
        gauge(
                registry,
                "records.session.limit",
                "Lock records that one service may have created",
                MemoryNodeStatus::recordsPerSession);
        gauge(registry, "values", "Values of guarded locks", MemoryNodeStatus::values);
        gauge(registry, "serving", "1 while services may join, else 0", status -> status.serving() ? 1 : 0);
        TimeGauge.builder(
                        PREFIX + "event.loop.lag",
                        service,
                        TimeUnit.NANOSECONDS,
                        node -> node.status().eventLoopLag().toNanos())
                .description("By how much an event loop was late when the lease watch last looked")
                .register(registry);
        Gauge.builder(
                        PREFIX + "memory.committed",
                        service,
                        node -> node.status().committedBytes())
                .description("Memory that lock records occupy now")
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
        Gauge.builder(PREFIX + "results.memory", service, node -> node.status().resultBytes())
                .description("Memory for the results of operations whose answers services have not confirmed")
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
        counter(
                registry,
                "sessions.resumed",
                "Sessions that went on with another connection",
                MemoryNodeStatus::resumed);
        counter(
                registry,
                "holds.restored",
                "Holds of its former life that were restored after the start",
                MemoryNodeStatus::restoredHolds);
        counter(
                registry,
                "holds.contradicted",
                "Holds that were not restored because they contradicted others",
                MemoryNodeStatus::refusedHolds);
        TimeGauge.builder(
                        PREFIX + "grace",
                        service,
                        TimeUnit.NANOSECONDS,
                        node -> node.status().grace().toNanos())
                .description(
                        "How long services of its former life were waited for after the start, or have been so far")
                .register(registry);
        if (service.standing() != null) {
            election(registry, "elections", "Times that this candidate was elected", Standing::elections);
            election(registry, "depositions", "Times that this candidate lost its term", Standing::depositions);
        }
        counter(registry, "values.read", "Values of guarded locks read", MemoryNodeStatus::valuesRead);
        counter(registry, "values.stored", "Values of guarded locks stored or removed", MemoryNodeStatus::valuesStored);
        verb(registry, "fetch_and_add", MemoryNodeStatus::fetchAndAdds);
        verb(registry, "compare_and_swap", MemoryNodeStatus::compareAndSwaps);
        verb(registry, "read", MemoryNodeStatus::reads);
        verb(registry, "write", MemoryNodeStatus::writes);
        counter(registry, "messages.relayed", "Messages between services passed on", MemoryNodeStatus::relayed);
        counter(registry, "records.reclaimed", "Idle lock records reclaimed", MemoryNodeStatus::reclaimed);
        counter(
                registry,
                "names.refused",
                "Names refused because their service had created as many lock records as it may",
                MemoryNodeStatus::refusedNames);
        counter(registry, "joins.refused", "Connections that were refused", MemoryNodeStatus::refusedConnections);
        counter(
                registry,
                "twins",
                "Times that another running memory node with the same id was found",
                MemoryNodeStatus::twins);
        counter(registry, "frames.bad", "Malformed frames", MemoryNodeStatus::badFrames);
        counter(
                registry,
                "readers.slow",
                "Connections closed because the service did not read its answers",
                MemoryNodeStatus::slowReaders);
    }

    private void election(MeterRegistry registry, String name, String description, ToDoubleFunction<Standing> value) {
        FunctionCounter.builder(PREFIX + name, service, node -> {
                    Standing standing = node.standing();
                    return standing == null ? 0 : value.applyAsDouble(standing);
                })
                .description(description)
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry, String name, String description, ToDoubleFunction<MemoryNodeStatus> value) {
        Gauge.builder(PREFIX + name, service, node -> value.applyAsDouble(node.status()))
                .description(description)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry, String name, String description, ToDoubleFunction<MemoryNodeStatus> value) {
        FunctionCounter.builder(PREFIX + name, service, node -> value.applyAsDouble(node.status()))
                .description(description)
                .register(registry);
    }

    private void verb(MeterRegistry registry, String verb, ToDoubleFunction<MemoryNodeStatus> value) {
        FunctionCounter.builder(PREFIX + "operations", service, node -> value.applyAsDouble(node.status()))
                .description("Operations executed")
                .tag("verb", verb)
                .register(registry);
    }
}
