// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.metrics;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockNotGrantedException;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.support.HandleFuture;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * Makes an observation {@code declock.acquire} of each acquisition, from the request to the grant, so that traces show the wait.
 * {@link ReadWriteLock} views are not observed. Thread-safe.
 */
public final class ObservedReadWriteLock implements DistributedReadWriteLock {
    private final DistributedReadWriteLock lock;
    private final ObservationRegistry registry;

    /** Makes one around {@code lock}. */
    public ObservedReadWriteLock(DistributedReadWriteLock lock, ObservationRegistry registry) {
        this.lock = lock;
        this.registry = registry;
    }

    @Override
    public ReadWriteLock lock(String name) {
        return lock.lock(name);
    }

    @Override
    public LockHandle acquire(LockRequest request) throws InterruptedException {
        return observe(request, () -> lock.acquire(request));
    }

    @Override
    public LockHandle acquire(LockRequest request, LockOwner owner) throws InterruptedException {
        return observe(request, () -> lock.acquire(request, owner));
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
        return observe(request, () -> lock.tryAcquire(request));
    }

    private <T> T observe(LockRequest request, Acquisition<T> acquisition) throws InterruptedException {
        Observation observation = start(request);
        Observation.Scope scope = observation.openScope();
        try {
            T granted = acquisition.run();
            granted(observation, !(granted instanceof Optional<?> optional && optional.isEmpty()));
            return granted;
        } catch (RuntimeException | Error | InterruptedException e) {
            failed(observation, e);
            throw e;
        } finally {
            scope.close();
            observation.stop();
        }
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, LockOwner owner) {
        Observation observation = start(request);
        HandleFuture future = new HandleFuture();
        CompletionStage<LockHandle> acquisition;
        try {
            acquisition = lock.acquireAsync(request, owner);
        } catch (RuntimeException e) {
            failed(observation, e);
            observation.stop();
            throw e;
        }
        future.behind(acquisition).whenComplete((handle, failure) -> {
            if (failure == null) {
                granted(observation, true);
            } else {
                failed(observation, HandleFuture.unwrap(failure));
            }
            observation.stop();
            if (failure == null) {
                future.grant(handle);
            } else {
                future.completeExceptionally(HandleFuture.unwrap(failure));
            }
        });
        return future;
    }

    private Observation start(LockRequest request) {
        boolean write = request.names().containsValue(LockMode.WRITE);
        return Observation.createNotStarted("declock.acquire", registry)
                .contextualName("declock acquire")
                .lowCardinalityKeyValue(
                        "mode", (write ? LockMode.WRITE : LockMode.READ).name().toLowerCase(Locale.ROOT))
                .highCardinalityKeyValue(
                        "locks", String.join(",", request.names().keySet()))
                .start();
    }

    private static void granted(Observation observation, boolean granted) {
        observation.lowCardinalityKeyValue("outcome", granted ? "granted" : "not.granted");
    }

    private static void failed(Observation observation, Throwable failure) {
        if (failure instanceof LockNotGrantedException) {
            granted(observation, false);
            return;
        }
        observation.lowCardinalityKeyValue(
                "outcome", failure instanceof MemoryNodeUnavailableException ? "unavailable" : "failed");
        observation.error(failure);
    }

    /** One acquisition. */
    @FunctionalInterface
    private interface Acquisition<T> {
        T run() throws InterruptedException;
    }
}
