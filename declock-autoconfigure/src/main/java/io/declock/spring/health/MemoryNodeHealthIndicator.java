// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.health;

import io.declock.ComputeNodeMonitor;
import io.declock.MemoryNodeView;
import io.declock.spring.support.CircuitBreakerStates;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Health of one memory node as this application sees it. It sends no request: sessions renew themselves all the time. Thread-safe. */
public final class MemoryNodeHealthIndicator extends AbstractHealthIndicator {
    private final ComputeNodeMonitor monitor;
    private final String place;
    private final CircuitBreakerStates circuitBreakers;
    private final Supplier<@Nullable String> embedded;

    /**
     * Makes one.
     *
     * @param place the memory node's {@linkplain MemoryNodeView#place place}, empty for the first memory node wherever it is
     * @param circuitBreakers supplies the state of its circuit breaker
     * @param embedded supplies a description of an embedded memory node, null for another one
     */
    public MemoryNodeHealthIndicator(
            ComputeNodeMonitor monitor,
            String place,
            CircuitBreakerStates circuitBreakers,
            Supplier<@Nullable String> embedded) {
        super("The health of a memory node could not be determined");
        this.monitor = monitor;
        this.place = place;
        this.circuitBreakers = circuitBreakers;
        this.embedded = embedded;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        MemoryNodeView view = monitor.memoryNodes().stream()
                .filter(one -> place.isEmpty() || one.place().equals(place))
                .findFirst()
                .orElse(null);
        if (view == null) {
            builder.outOfService().withDetail("problem", "not started, or shutting down");
            return;
        }
        builder.status(view.state() == MemoryNodeView.State.UP ? "UP" : "DOWN");
        builder.withDetail("state", view.state().name())
                .withDetail("address", view.address())
                .withDetail("id", view.id())
                .withDetail("nodeId", view.nodeId())
                .withDetail("leaseLeftMillis", view.leaseLeft().toMillis())
                .withDetail("recordsInUse", view.recordsInUse())
                .withDetail("recordsTotal", view.recordsTotal())
                .withDetail("members", view.members())
                .withDetail("heldNow", monitor.heldNow())
                .withDetail("keptNow", monitor.keptNow());
        Optional.ofNullable(embedded.get()).ifPresent(what -> builder.withDetail("embedded", what));
        Optional.ofNullable(view.roundTrip())
                .ifPresent(trip -> builder.withDetail("roundTripMicros", trip.toNanos() / 1000));
        Optional.ofNullable(view.clockOffset())
                .ifPresent(offset -> builder.withDetail("clockOffsetMicros", offset.toNanos() / 1000));
        if (view.address().startsWith("rdma:")) {
            builder.withDetail("rdma", monitor.fabricDetails());
        }
        if (!view.problem().isEmpty()) {
            builder.withDetail("problem", view.problem());
        }
        Optional.ofNullable(circuitBreakers.of(view)).ifPresent(state -> builder.withDetail("circuitBreaker", state));
    }
}
