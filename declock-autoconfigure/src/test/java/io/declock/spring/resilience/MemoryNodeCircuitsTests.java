// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import io.declock.ComputeNodeMonitor;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the circuits ask the compute node. */
class MemoryNodeCircuitsTests {
    private final ComputeNodeMonitor monitor = mock();
    private final CircuitBreakerRegistry registry = CircuitBreakerRegistry.ofDefaults();

    @Test
    void anAcquisitionFindsItsCircuitsWithoutAView() throws Exception {
        ComputeNodeMonitor.Home one = home("one", "x");
        ComputeNodeMonitor.Home two = home("two", "y");
        MemoryNodeCircuits circuits =
                new MemoryNodeCircuits(monitor, registry, CircuitBreakerConfig.ofDefaults(), Duration.ofSeconds(1), 2);
        LockRequest request = LockRequest.write("x");

        assertThat(circuits.acquire(request, asked -> true)).isTrue();
        assertThat(circuits.acquire(request.andRead("y"), asked -> true)).isTrue();

        verify(one, never()).view();
        verify(two, never()).view();
        verify(monitor, never()).memoryNodes();
        assertThat(successes("declock-one:1")).isEqualTo(2);
        assertThat(successes("declock-two:1")).isEqualTo(1);
    }

    @Test
    void aNameWhoseMemoryNodeIsNotKnownYetHasNoCircuit() throws Exception {
        given(monitor.homeOf(any())).willReturn(null);
        MemoryNodeCircuits circuits =
                new MemoryNodeCircuits(monitor, registry, CircuitBreakerConfig.ofDefaults(), Duration.ofSeconds(1), 2);

        assertThat(circuits.acquire(LockRequest.write("x").andRead("y"), asked -> true))
                .isTrue();

        assertThat(registry.getAllCircuitBreakers()).isEmpty();
    }

    private int successes(String breaker) {
        return registry.find(breaker).orElseThrow().getMetrics().getNumberOfSuccessfulCalls();
    }

    private ComputeNodeMonitor.Home home(String host, String name) {
        ComputeNodeMonitor.Home home = mock();
        given(home.address()).willReturn(new MemoryNodeAddress("tcp", host, 1));
        given(monitor.homeOf(name)).willReturn(home);
        return home;
    }
}
