// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.ComputeNodeMonitor;
import io.declock.MemoryNodeView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of each memory node in one registry. Memory nodes are added and removed while the application runs; the gauge of their number is
 * read whenever the metrics are, and brings the others up to date. A gauge holds the monitor weakly, and this object by its function. Thread-safe.
 */
final class MemoryNodeMetrics {
    private final ComputeNodeMonitor monitor;
    private final List<String> configured;
    private final MeterRegistry registry;
    private final boolean isEmbedded;
    private final ReentrantLock mutex = new ReentrantLock();
    /** The gauges by the value of their tag. */
    @GuardedBy("mutex")
    private final Map<String, List<Meter>> registered = new HashMap<>();

    /** Selects a duration of a memory node. */
    @FunctionalInterface
    private interface DurationOf {
        @Nullable
        Duration of(MemoryNodeView view);
    }

    MemoryNodeMetrics(ComputeNodeMonitor monitor, List<String> configured, MeterRegistry registry) {
        this.monitor = monitor;
        this.configured = configured;
        this.registry = registry;
        this.isEmbedded = configured.size() == 1 && configured.get(0).indexOf(':') < 0;
    }

    void begin() {
        Gauge.builder("declock.memory.nodes", monitor, any -> update())
                .description("Memory nodes that are used")
                .register(registry);
        update();
    }

    /** Registers the gauges of memory nodes that are new, and removes those of memory nodes that are not used any more. */
    private double update() {
        List<String> present = isEmbedded
                ? List.of()
                : monitor.memoryNodes().stream().map(MemoryNodeView::place).toList();
        List<String> names = present.isEmpty() ? configured : present;
        mutex.lock();
        try {
            for (String name : names) {
                if (!registered.containsKey(name)) {
                    registered.put(name, register(name));
                }
            }
            for (String name : List.copyOf(registered.keySet())) {
                if (!names.contains(name)) {
                    List<Meter> gone = registered.remove(name);
                    if (gone != null) {
                        gone.forEach(registry::remove);
                    }
                }
            }
        } finally {
            mutex.unlock();
        }
        return names.size();
    }

    private List<Meter> register(String name) {
        Tags tags = Tags.of("memory.node", name);
        List<Meter> meters = new ArrayList<>();
        meters.add(Gauge.builder("declock.memory.node.up", monitor, any -> up(name))
                .description("Whether the memory node is joined")
                .tags(tags)
                .register(registry));
        meters.add(time(
                "declock.memory.node.round.trip",
                "Last measured round trip of a heartbeat",
                name,
                tags,
                MemoryNodeView::roundTrip));
        meters.add(time(
                "declock.memory.node.lease.left",
                "Remaining time of the lease",
                name,
                tags,
                MemoryNodeView::leaseLeft));
        meters.add(time(
                "declock.memory.node.clock.offset",
                "Offset between this machine's clock and the memory node's",
                name,
                tags,
                MemoryNodeView::clockOffset));
        meters.add(number(
                "declock.memory.node.records.used",
                "Lock records that belong to a name",
                name,
                tags,
                MemoryNodeView::recordsInUse));
        meters.add(number(
                "declock.memory.node.records.total",
                "Lock records for which the memory node has room",
                name,
                tags,
                MemoryNodeView::recordsTotal));
        meters.add(number("declock.memory.node.members", "Instances joined", name, tags, MemoryNodeView::members));
        return meters;
    }

    private Meter time(String gauge, String description, String name, Tags tags, DurationOf duration) {
        return TimeGauge.builder(gauge, monitor, TimeUnit.NANOSECONDS, any -> {
                    MemoryNodeView view = view(name);
                    Duration value = view == null ? null : duration.of(view);
                    return value == null ? Double.NaN : value.toNanos();
                })
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private Meter number(
            String gauge, String description, String name, Tags tags, ToDoubleFunction<MemoryNodeView> number) {
        return Gauge.builder(gauge, monitor, any -> {
                    MemoryNodeView view = view(name);
                    return view == null ? Double.NaN : number.applyAsDouble(view);
                })
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private double up(String name) {
        MemoryNodeView view = view(name);
        return view != null && view.state() == MemoryNodeView.State.UP ? 1 : 0;
    }

    private @Nullable MemoryNodeView view(String name) {
        for (MemoryNodeView view : monitor.memoryNodes()) {
            if (isEmbedded || view.place().equals(name)) {
                return view;
            }
        }
        return null;
    }
}
