// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import io.declock.ComputeNodeMonitor;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.spring.support.CircuitBreakerStates;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One circuit breaker per memory node. Only unavailability counts as a failure: a busy lock shows that its memory node works.
 *
 * <p>A circuit opens when the memory node has been without a session for a while, even if no call failed: callers need not wait in vain
 * one after the other to find out. It closes as soon as the memory node's session is up again, without waiting for its open time to pass;
 * otherwise the few callers that a half-open circuit lets through could keep all others out for as long as they wait for a busy lock.
 * Thread-safe.
 */
public final class MemoryNodeCircuits implements CircuitBreakerStates {
    /** Name of the circuit breaker of a single memory node; several are called {@code declock-host:port}. */
    public static final String NAME = "declock";

    private final ComputeNodeMonitor monitor;
    private final CircuitBreakerRegistry registry;
    private final CircuitBreakerConfig config;
    private final Duration openAfter;
    private final boolean single;
    private final Map<String, CircuitBreaker> byAddress = new ConcurrentHashMap<>();
    private volatile @Nullable CircuitBreaker only;

    /**
     * Makes the circuit breakers.
     *
     * @param monitor tells how the memory nodes are
     * @param registry where circuit breakers come from
     * @param config configuration of circuit breakers that the registry does not have yet
     * @param openAfter how long a memory node may be without a session before its circuit opens
     * @param memoryNodes how many memory nodes there are
     */
    public MemoryNodeCircuits(
            ComputeNodeMonitor monitor,
            CircuitBreakerRegistry registry,
            CircuitBreakerConfig config,
            Duration openAfter,
            int memoryNodes) {
        this.monitor = monitor;
        this.registry = registry;
        this.config = config;
        this.openAfter = openAfter;
        this.single = memoryNodes == 1;
        if (single) {
            only = registry.circuitBreaker(NAME, config);
        }
    }

    /**
     * Asks for permission to acquire.
     *
     * @return the permit, to which the caller must report the outcome
     * @throws CircuitOpenException if a circuit that the request needs is open
     */
    Permit permit(LockRequest request) {
        Set<CircuitBreaker> asked = new LinkedHashSet<>();
        for (String name : request.names().keySet()) {
            CircuitBreaker breaker = of(name);
            if (breaker == null || asked.contains(breaker)) {
                continue;
            }
            if (!isPermitted(breaker, name)) {
                asked.forEach(CircuitBreaker::releasePermission);
                throw open(breaker, name);
            }
            asked.add(breaker);
        }
        return new Permit(asked, System.nanoTime());
    }

    private @Nullable CircuitBreaker of(String name) {
        CircuitBreaker one = only;
        return one != null ? one : monitor.memoryNodeOf(name).map(this::breaker).orElse(null);
    }

    private CircuitBreaker breaker(MemoryNodeView view) {
        CircuitBreaker one = only;
        return one != null
                ? one
                : byAddress.computeIfAbsent(
                        view.address(),
                        address -> registry.circuitBreaker(
                                NAME + "-" + address.substring(address.indexOf("://") + 3), config));
    }

    private boolean isPermitted(CircuitBreaker breaker, String name) {
        State state = breaker.getState();
        boolean works = state == State.CLOSED || state == State.OPEN || state == State.HALF_OPEN;
        Optional<MemoryNodeView> home = works ? monitor.memoryNodeOf(name) : Optional.empty();
        if (home.isEmpty()) {
            return breaker.tryAcquirePermission();
        }
        if (isUp(home)) {
            if (state != State.CLOSED) {
                breaker.transitionToClosedState();
            }
            return breaker.tryAcquirePermission();
        }
        return isGone(home.get()) ? stayOpen(breaker) : breaker.tryAcquirePermission();
    }

    private boolean isGone(MemoryNodeView view) {
        return view.downFor().compareTo(openAfter) >= 0;
    }

    /** Refuses the call, and counts the refusal. A trial call is of no use: whether the session comes back does not depend on callers. */
    private static boolean stayOpen(CircuitBreaker breaker) {
        if (breaker.getState() != State.OPEN) {
            breaker.transitionToOpenState();
        }
        if (breaker.tryAcquirePermission()) {
            breaker.releasePermission();
            breaker.transitionToOpenState();
        }
        return false;
    }

    private static boolean isUp(Optional<MemoryNodeView> view) {
        return view.isPresent() && view.get().state() == MemoryNodeView.State.UP;
    }

    private CircuitOpenException open(CircuitBreaker breaker, String name) {
        String problem = monitor.memoryNodeOf(name)
                .map(view -> " Memory node " + view.address() + " is " + view.state()
                        + (view.problem().isEmpty() ? "." : ": " + view.problem() + "."))
                .orElse("");
        return new CircuitOpenException(
                "Lock " + LockNames.quoted(name) + " was not requested, because circuit breaker '" + breaker.getName()
                        + "' is " + breaker.getState() + "." + problem);
    }

    @Override
    public @Nullable String of(MemoryNodeView memoryNode) {
        return breaker(memoryNode).getState().name();
    }

    /** A permission to acquire, to which the caller reports the outcome once. */
    final class Permit {
        private final Collection<CircuitBreaker> breakers;
        private final long since;

        private Permit(Collection<CircuitBreaker> breakers, long since) {
            this.breakers = breakers;
            this.since = since;
        }

        /** The memory nodes answered, whether or not the lock was granted. */
        void answered() {
            long nanos = System.nanoTime() - since;
            for (CircuitBreaker breaker : breakers) {
                breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
            }
        }

        /** The acquisition failed. */
        void failed(Throwable failure) {
            if (failure instanceof LockNotGrantedException) {
                answered();
                return;
            }
            long nanos = System.nanoTime() - since;
            for (CircuitBreaker breaker : breakers) {
                if (failure instanceof MemoryNodeUnavailableException && isAtFault(breaker)) {
                    breaker.onError(nanos, TimeUnit.NANOSECONDS, failure);
                } else {
                    breaker.releasePermission();
                }
            }
        }

        /** Returns whether that memory node caused the failure: if several were needed, those that are up did not. */
        private boolean isAtFault(CircuitBreaker breaker) {
            return breakers.size() == 1
                    || monitor.memoryNodes().stream()
                            .anyMatch(view -> view.state() != MemoryNodeView.State.UP && breaker(view) == breaker);
        }
    }
}
