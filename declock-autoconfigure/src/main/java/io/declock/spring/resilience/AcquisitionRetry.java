// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.AcquisitionInterceptor;
import io.declock.spring.support.HandleFuture;
import io.github.resilience4j.retry.Retry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Tries acquisitions that met an unavailable memory node again, within the request's wait time. Thread-safe. */
public final class AcquisitionRetry implements AcquisitionInterceptor {
    private final Retry retry;
    private final Duration defaultWaitTime;

    /**
     * Makes one.
     *
     * @param retry how often to try, and the pauses
     * @param defaultWaitTime wait time of requests that name none
     */
    public AcquisitionRetry(Retry retry, Duration defaultWaitTime) {
        this.retry = retry;
        this.defaultWaitTime = defaultWaitTime;
    }

    @Override
    public boolean acquire(LockRequest request, Acquisition next) throws InterruptedException {
        Duration wait = waitTime(request);
        if (wait.isZero()) {
            return next.acquire(request);
        }
        Retry.Context<?> context = retry.context();
        long deadline = deadline(wait);
        LockRequest attempt = request;
        while (true) {
            try {
                boolean granted = next.acquire(attempt);
                context.onComplete();
                return granted;
            } catch (MemoryNodeUnavailableException e) {
                if (!mayRetry(e, deadline)) {
                    throw e;
                }
                // Throws the failure after the last attempt, and where the pause is interrupted.
                context.onRuntimeError(e);
                attempt = request.waitTime(left(deadline));
            }
        }
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next) {
        Duration wait = waitTime(request);
        return wait.isZero() ? next.acquire(request) : attempt(request, next, retry.asyncContext(), deadline(wait));
    }

    private static CompletionStage<LockHandle> attempt(
            LockRequest request, AsyncAcquisition next, Retry.AsyncContext<LockHandle> context, long deadline) {
        return next.acquire(request)
                .whenComplete((handle, failure) -> {
                    if (failure == null) {
                        context.onComplete();
                    }
                })
                .exceptionallyCompose(failure -> {
                    Throwable cause = HandleFuture.unwrap(failure);
                    long delay = mayRetry(cause, deadline) ? context.onError(cause) : -1;
                    if (delay < 0) {
                        return CompletableFuture.failedStage(cause);
                    }
                    Executor later = CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS);
                    return CompletableFuture.supplyAsync(() -> request.waitTime(left(deadline)), later)
                            .thenCompose(again -> attempt(again, next, context, deadline));
                });
    }

    /** Returns whether another attempt may help: not while a circuit is open, and not after the wait time. */
    private static boolean mayRetry(Throwable failure, long deadline) {
        return failure instanceof MemoryNodeUnavailableException
                && !(failure instanceof CircuitOpenException)
                && System.nanoTime() - deadline < 0;
    }

    private Duration waitTime(LockRequest request) {
        Duration asked = request.waitTime();
        return asked == null ? defaultWaitTime : asked;
    }

    private static long deadline(Duration wait) {
        return System.nanoTime() + TimeUnit.NANOSECONDS.convert(wait);
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }
}
