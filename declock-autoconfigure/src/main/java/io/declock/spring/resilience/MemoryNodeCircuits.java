// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import io.declock.ComputeNodeMonitor;
import io.declock.LockHandle;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.support.CircuitBreakerStates;
import io.declock.spring.support.HandleFuture;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One circuit breaker per memory node, so that callers fail at once when the memory node is known to be unavailable. Only unavailability
 * counts as a failure: a busy lock shows that its memory node works.
 *
 * <p>A circuit opens when the memory node has been without a session for a while, even if no call failed: callers need not wait in vain
 * one after the other to find out. It closes as soon as the memory node's session is up again, without waiting for its open time to pass;
 * otherwise the few callers that a half-open circuit lets through could keep all others out for as long as they wait for a busy lock.
 * Thread-safe.
 */
public final class MemoryNodeCircuits implements AcquisitionInterceptor, CircuitBreakerStates {
    /** Name of the circuit breaker of a single memory node; several are called {@code declock-host:port}. */
    public static final String NAME = "declock";

    private final ComputeNodeMonitor monitor;
    private final CircuitBreakerRegistry registry;
    private final CircuitBreakerConfig config;
    private final long openAfterNanos;
    // Lists, because a request for several names may ask several circuit breakers, and most requests need no list of
    // their own.
    private final @Nullable List<CircuitBreaker> only;
    private final Map<MemoryNodeAddress, List<CircuitBreaker>> byAddress = new ConcurrentHashMap<>();
    /** The single memory node of the configuration; others may be added while the application runs. */
    private final AtomicReference<ComputeNodeMonitor.@Nullable Home> onlyHome = new AtomicReference<>();

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
        this.openAfterNanos = TimeUnit.NANOSECONDS.convert(openAfter);
        this.only = memoryNodes == 1 ? List.of(registry.circuitBreaker(NAME, config)) : null;
    }

    @Override
    public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
        List<CircuitBreaker> asked = permit(request);
        long since = System.nanoTime();
        boolean granted;
        try {
            granted = next.acquire(request);
        } catch (RuntimeException | Error | InterruptedException e) {
            ended(asked, since, e);
            throw e;
        }
        ended(asked, since, null);
        return granted;
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
        List<CircuitBreaker> asked = permit(request);
        long since = System.nanoTime();
        return next.acquire(request)
                .whenComplete((handle, failure) ->
                        ended(asked, since, failure == null ? null : HandleFuture.unwrap(failure)));
    }

    /**
     * Asks every circuit breaker that the request needs for permission.
     *
     * @return those circuit breakers, which must be told the outcome
     * @throws CircuitOpenException if one of the circuits is open
     */
    private List<CircuitBreaker> permit(LockRequest request) {
        List<CircuitBreaker> asked = List.of();
        for (String name : request.names().keySet()) {
            ComputeNodeMonitor.Home home = monitor.homeOf(name);
            List<CircuitBreaker> one = breakers(home);
            if (asked.containsAll(one)) {
                continue;
            }
            if (!isPermitted(one.get(0), home)) {
                asked.forEach(CircuitBreaker::releasePermission);
                throw open(one.get(0), name, home);
            }
            asked = asked.isEmpty()
                    ? one
                    : Stream.concat(asked.stream(), one.stream()).toList();
        }
        return asked;
    }

    /** Returns the circuit breaker of a memory node, or none if the memory node is not known yet. */
    private List<CircuitBreaker> breakers(ComputeNodeMonitor.@Nullable Home home) {
        if (home == null) {
            return only != null ? only : List.of();
        }
        if (only != null && isOnly(home)) {
            return only;
        }
        List<CircuitBreaker> known = byAddress.get(home.address());
        return known != null
                ? known
                : byAddress.computeIfAbsent(home.address(), address -> List.of(breaker(address.toString())));
    }

    private boolean isOnly(ComputeNodeMonitor.Home home) {
        return onlyHome.get() == home || onlyHome.compareAndSet(null, home);
    }

    private CircuitBreaker breaker(String address) {
        ComputeNodeMonitor.Home first = onlyHome.get();
        return only != null && (first == null || first.address().toString().equals(address))
                ? only.get(0)
                : registry.circuitBreaker(NAME + "-" + address.substring(address.indexOf("://") + 3), config);
    }

    private boolean isPermitted(CircuitBreaker breaker, ComputeNodeMonitor.@Nullable Home home) {
        State state = breaker.getState();
        boolean works = state == State.CLOSED || state == State.OPEN || state == State.HALF_OPEN;
        if (works && home != null) {
            long down = home.downNanos();
            if (down > 0 && down >= openAfterNanos) {
                return stayOpen(breaker);
            }
            if (down == 0 && state != State.CLOSED) {
                breaker.transitionToClosedState();
            }
        }
        return breaker.tryAcquirePermission();
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

    private static CircuitOpenException open(
            CircuitBreaker breaker, String name, ComputeNodeMonitor.@Nullable Home home) {
        String problem = "";
        if (home != null) {
            MemoryNodeView view = home.view();
            problem = " Memory node " + view.address() + " is " + view.state()
                    + (view.problem().isEmpty() ? "." : ": " + view.problem() + ".");
        }
        return new CircuitOpenException(
                "Lock " + LockNames.quoted(name) + " was not requested, because circuit breaker '" + breaker.getName()
                        + "' is " + breaker.getState() + "." + problem);
    }

    /** Tells the circuit breakers the outcome; a memory node has answered also where the lock was not granted. */
    private void ended(List<CircuitBreaker> asked, long since, @Nullable Throwable failure) {
        long nanos = System.nanoTime() - since;
        for (CircuitBreaker breaker : asked) {
            if (failure == null || failure instanceof LockNotGrantedException) {
                breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
            } else if (failure instanceof MemoryNodeUnavailableException && isAtFault(breaker, asked)) {
                breaker.onError(nanos, TimeUnit.NANOSECONDS, failure);
            } else {
                breaker.releasePermission();
            }
        }
    }

    /** Returns whether that memory node caused the failure: if several were needed, those that are up did not. */
    private boolean isAtFault(CircuitBreaker breaker, List<CircuitBreaker> asked) {
        return asked.size() == 1
                || monitor.memoryNodes().stream()
                        .anyMatch(
                                view -> view.state() != MemoryNodeView.State.UP && breaker(view.address()) == breaker);
    }

    @Override
    public @Nullable String of(MemoryNodeView memoryNode) {
        return breaker(memoryNode.address()).getState().name();
    }
}
