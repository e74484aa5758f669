// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.support.HandleFuture;
import io.github.resilience4j.retry.Retry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Guards acquisitions against unavailable memory nodes: by a retry within the request's wait time, and by circuit breakers, so that
 * callers fail at once when the memory node is known to be unavailable. It does not react to busy locks. Thread-safe.
 */
public final class GuardedReadWriteLock implements DistributedReadWriteLock {
    private final DistributedReadWriteLock lock;
    private final @Nullable MemoryNodeCircuits circuits;
    private final @Nullable Retry retry;
    private final Duration defaultWaitTime;

    /**
     * Makes one around {@code lock}.
     *
     * @param lock the lock behind it
     * @param circuits null for no circuit breakers
     * @param retry null for no retry
     * @param defaultWaitTime wait time of requests that name none
     */
    public GuardedReadWriteLock(
            DistributedReadWriteLock lock,
            @Nullable MemoryNodeCircuits circuits,
            @Nullable Retry retry,
            Duration defaultWaitTime) {
        this.lock = lock;
        this.circuits = circuits;
        this.retry = retry;
        this.defaultWaitTime = defaultWaitTime;
    }

    @Override
    public ReadWriteLock lock(String name) {
        ReadWriteLock plain = lock.lock(name);
        return circuits == null ? plain : new GuardedViews(plain, name, circuits);
    }

    @Override
    public LockHandle acquire(LockRequest request) throws InterruptedException {
        return retrying(request, attempt -> lock.acquire(attempt));
    }

    @Override
    public LockHandle acquire(LockRequest request, LockOwner owner) throws InterruptedException {
        return retrying(request, attempt -> lock.acquire(attempt, owner));
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
        return retrying(request, attempt -> lock.tryAcquire(attempt));
    }

    private <T> T retrying(LockRequest request, Acquisition<T> acquisition) throws InterruptedException {
        Duration wait = waitTime(request);
        if (retry == null || wait.isZero()) {
            return guarded(request, acquisition);
        }
        Retry.Context<T> context = retry.context();
        long deadline = System.nanoTime() + nanos(wait);
        LockRequest attempt = request;
        while (true) {
            try {
                T result = guarded(attempt, acquisition);
                context.onComplete();
                return result;
            } catch (MemoryNodeUnavailableException e) {
                if (e instanceof CircuitOpenException || System.nanoTime() - deadline >= 0) {
                    throw e;
                }
                context.onRuntimeError(e);
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted before a retry: " + e.getMessage());
                }
                attempt = request.waitTime(left(deadline));
            }
        }
    }

    private <T> T guarded(LockRequest request, Acquisition<T> acquisition) throws InterruptedException {
        if (circuits == null) {
            return acquisition.run(request);
        }
        MemoryNodeCircuits.Permit permit = circuits.permit(request);
        T result;
        try {
            result = acquisition.run(request);
        } catch (RuntimeException | Error | InterruptedException e) {
            permit.failed(e);
            throw e;
        }
        permit.answered();
        return result;
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, LockOwner owner) {
        HandleFuture result = new HandleFuture();
        Duration wait = waitTime(request);
        Retry.@Nullable AsyncContext<LockHandle> context = retry == null || wait.isZero() ? null : retry.asyncContext();
        new AsyncAcquisition(request, owner, result, context, System.nanoTime() + nanos(wait)).attempt(request);
        return result;
    }

    private Duration waitTime(LockRequest request) {
        Duration asked = request.waitTime();
        return asked == null ? defaultWaitTime : asked;
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }

    /** One asynchronous acquisition with its attempts. */
    private final class AsyncAcquisition {
        private final LockRequest request;
        private final LockOwner owner;
        private final HandleFuture result;
        private final Retry.@Nullable AsyncContext<LockHandle> context;
        private final long deadline;

        AsyncAcquisition(
                LockRequest request,
                LockOwner owner,
                HandleFuture result,
                Retry.@Nullable AsyncContext<LockHandle> context,
                long deadline) {
            this.request = request;
            this.owner = owner;
            this.result = result;
            this.context = context;
            this.deadline = deadline;
        }

        void attempt(LockRequest attempt) {
            MemoryNodeCircuits.Permit permit;
            CompletionStage<LockHandle> acquisition;
            try {
                permit = circuits == null ? null : circuits.permit(attempt);
                acquisition = acquisition(attempt);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
                return;
            }
            result.behind(acquisition).whenComplete((handle, failure) -> {
                if (failure == null) {
                    answered(permit, handle);
                } else {
                    failed(permit, HandleFuture.unwrap(failure));
                }
            });
        }

        private CompletionStage<LockHandle> acquisition(LockRequest attempt) {
            try {
                return lock.acquireAsync(attempt, owner);
            } catch (RuntimeException e) {
                return CompletableFuture.failedStage(e);
            }
        }

        private void answered(MemoryNodeCircuits.@Nullable Permit permit, LockHandle handle) {
            if (permit != null) {
                permit.answered();
            }
            if (context != null) {
                context.onComplete();
            }
            result.grant(handle);
        }

        private void failed(MemoryNodeCircuits.@Nullable Permit permit, Throwable failure) {
            if (permit != null) {
                permit.failed(failure);
            }
            boolean again = failure instanceof MemoryNodeUnavailableException
                    && !result.isDone()
                    && System.nanoTime() - deadline < 0;
            long delayMillis = again && context != null ? context.onError(failure) : -1;
            if (delayMillis < 0) {
                result.completeExceptionally(failure);
                return;
            }
            CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS)
                    .execute(() -> attempt(request.waitTime(left(deadline))));
        }
    }

    /** One way to acquire. */
    @FunctionalInterface
    private interface Acquisition<T> {
        T run(LockRequest request) throws InterruptedException;
    }
}
