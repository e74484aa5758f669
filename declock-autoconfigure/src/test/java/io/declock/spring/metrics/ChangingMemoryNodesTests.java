// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.declock.ComputeNodeMonitor;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.spring.health.MemoryNodeHealthIndicator;
import io.declock.spring.health.MemoryNodesHealth;
import io.declock.spring.resilience.MemoryNodeCircuits;
import io.declock.spring.support.CircuitBreakerStates;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** Health, metrics and circuit breakers follow the memory nodes that are used, which are added and removed while the application runs. */
class ChangingMemoryNodesTests {
    private final ComputeNodeMonitor monitor = mock();

    private void uses(String... addresses) {
        List<MemoryNodeView> views = Arrays.stream(addresses)
                .map(address -> new MemoryNodeView(
                        address,
                        address,
                        MemoryNodeView.State.UP,
                        1,
                        1,
                        null,
                        Duration.ZERO,
                        7,
                        100,
                        3,
                        null,
                        "",
                        Duration.ZERO))
                .toList();
        given(monitor.memoryNodes()).willReturn(views);
    }

    @Test
    void gaugesFollow() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        uses();
        MemoryNodeMetrics metrics = new MemoryNodeMetrics(monitor, List.of("a:1", "b:1"), registry);
        metrics.begin();
        assertThat(registry.get("declock.memory.node.up").gauges()).hasSize(2);
        uses("tcp://b:1|b2:1", "tcp://c:1");
        assertThat(registry.get("declock.memory.nodes").gauge().value()).isEqualTo(2);
        assertThat(registry.get("declock.memory.node.up").gauges())
                .extracting(gauge -> gauge.getId().getTag("memory.node"))
                .containsExactlyInAnyOrder("b:1", "c:1");
        assertThat(registry.get("declock.memory.node.records.used")
                        .tag("memory.node", "c:1")
                        .gauge()
                        .value())
                .isEqualTo(7);
    }

    @Test
    void healthFollows() {
        uses();
        MemoryNodesHealth health = new MemoryNodesHealth(
                monitor,
                List.of("a:1", "b:1"),
                place -> new MemoryNodeHealthIndicator(monitor, place, CircuitBreakerStates.NONE, () -> null));
        assertThat(health.stream().map(HealthContributors.Entry::name)).containsExactly("a:1", "b:1");
        uses("tcp://b:1", "tcp://c:1");
        assertThat(health.stream().map(HealthContributors.Entry::name)).containsExactly("b:1", "c:1");
        assertThat(health.stream().map(entry -> ((HealthIndicator) entry.contributor()).health(true)))
                .allMatch(one -> one.getStatus().equals(Status.UP));
        assertThat(health.getContributor("a:1")).isNull();
        assertThat(health.getContributor("c:1")).isNotNull();
    }

    @Test
    void theSingleMemoryNodeKeepsItsCircuitAndOthersGetTheirOwn() throws Exception {
        CircuitBreakerRegistry registry = CircuitBreakerRegistry.ofDefaults();
        MemoryNodeCircuits circuits =
                new MemoryNodeCircuits(monitor, registry, CircuitBreakerConfig.ofDefaults(), Duration.ofSeconds(1), 1);
        ComputeNodeMonitor.Home first = home("a");
        ComputeNodeMonitor.Home second = home("b");
        given(monitor.homeOf(any())).willReturn(first, second, first);
        for (int i = 0; i < 3; i++) {
            assertThat(circuits.acquire(LockRequest.write("x"), asked -> true)).isTrue();
        }
        assertThat(successes(registry, "declock")).isEqualTo(2);
        assertThat(successes(registry, "declock-b:1")).isEqualTo(1);
    }

    private static int successes(CircuitBreakerRegistry registry, String breaker) {
        return registry.find(breaker).orElseThrow().getMetrics().getNumberOfSuccessfulCalls();
    }

    private static ComputeNodeMonitor.Home home(String host) {
        ComputeNodeMonitor.Home home = mock();
        given(home.address()).willReturn(new MemoryNodeAddress("tcp", host, 1));
        return home;
    }
}
