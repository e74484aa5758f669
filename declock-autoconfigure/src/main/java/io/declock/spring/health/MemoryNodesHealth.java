// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.health;

import io.declock.ComputeNodeMonitor;
import io.declock.MemoryNodeView;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;

/**
 * The health of each memory node that is used at present: memory nodes are added and removed while the application runs. Before the compute
 * node has started, those of the configuration stand for them. Thread-safe.
 */
public final class MemoryNodesHealth implements CompositeHealthContributor {
    private final ComputeNodeMonitor monitor;
    private final List<String> configured;
    private final Function<String, HealthContributor> made;
    private final Map<String, HealthContributor> indicators = new ConcurrentHashMap<>();

    /**
     * Makes it.
     *
     * @param configured the {@linkplain MemoryNodeView#place places} of the configured memory nodes
     * @param made makes the indicator of a place
     */
    public MemoryNodesHealth(
            ComputeNodeMonitor monitor, List<String> configured, Function<String, HealthContributor> made) {
        this.monitor = monitor;
        this.configured = List.copyOf(configured);
        this.made = made;
    }

    private List<String> places() {
        List<String> present =
                monitor.memoryNodes().stream().map(MemoryNodeView::place).toList();
        return present.isEmpty() ? configured : present;
    }

    @Override
    public @Nullable HealthContributor getContributor(String name) {
        return places().contains(name) ? indicators.computeIfAbsent(name, made) : null;
    }

    @Override
    public Stream<HealthContributors.Entry> stream() {
        return places().stream()
                .map(place -> new HealthContributors.Entry(place, indicators.computeIfAbsent(place, made)));
    }
}
