// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.ComputeNodeMonitor;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counters of the RDMA adapter's work. Thread-safe. */
final class RdmaMetrics implements MeterBinder {
    private static final String ERROR = "completionErrors.";
    /** The errors that are useful to operators, each with a tag of its own. */
    private static final List<String> STATUSES =
            List.of("WR_FLUSH_ERR", "REM_ACCESS_ERR", "RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR");

    private final ComputeNodeMonitor monitor;

    RdmaMetrics(ComputeNodeMonitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        String polls = "declock.rdma.polls";
        String polled = "Polls for completions";
        count(registry, polls, polled, Tags.of("result", "found"), "polls");
        count(registry, polls, polled, Tags.of("result", "empty"), "emptyPolls");
        count(registry, "declock.rdma.sleeps", "Times the completion thread went to sleep", Tags.empty(), "sleeps");
        count(
                registry,
                "declock.rdma.waits",
                "Chains of operations that waited because the maximum number was in flight",
                Tags.empty(),
                "waits");
        count(registry, "declock.rdma.connections", "RDMA connections established", Tags.empty(), "connections");
        String errors = "declock.rdma.completion.errors";
        String failed = "Operations that the adapter reported as failed";
        for (String status : STATUSES) {
            count(registry, errors, failed, Tags.of("status", status), ERROR + status);
        }
        FunctionCounter.builder(errors, monitor, RdmaMetrics::otherErrors)
                .description(failed)
                .tag("status", "other")
                .register(registry);
    }

    private void count(MeterRegistry registry, String name, String description, Tags tags, String detail) {
        FunctionCounter.builder(
                        name, monitor, source -> number(source.fabricDetails().get(detail)))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private static double otherErrors(ComputeNodeMonitor monitor) {
        return monitor.fabricDetails().entrySet().stream()
                .filter(each -> each.getKey().startsWith(ERROR)
                        && !STATUSES.contains(each.getKey().substring(ERROR.length())))
                .mapToDouble(each -> number(each.getValue()))
                .sum();
    }

    private static double number(@Nullable Object detail) {
        return detail instanceof Number number ? number.doubleValue() : 0;
    }
}
