// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.support;

import io.declock.LockHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A future for a lock handle in front of another acquisition, or of several in turn: when this future is cancelled or fails, the
 * acquisition behind it is withdrawn, and a handle that comes too late is released. Thread-safe.
 */
public final class HandleFuture extends CompletableFuture<LockHandle> {
    private volatile @Nullable CompletableFuture<LockHandle> source;

    /** Makes one without an acquisition behind it. */
    public HandleFuture() {
        CompletionStage<LockHandle> self = this;
        self.whenComplete((handle, failure) -> withdraw(failure));
    }

    /** Returns a future like {@code source} whose failures are mapped. */
    public static HandleFuture mapFailure(CompletionStage<LockHandle> source, UnaryOperator<Throwable> map) {
        HandleFuture future = new HandleFuture();
        future.behind(source).whenComplete((handle, failure) -> {
            if (failure == null) {
                future.grant(handle);
            } else {
                future.completeExceptionally(map.apply(unwrap(failure)));
            }
        });
        return future;
    }

    /** Puts this future in front of that acquisition. The caller passes on the acquisition's outcome. */
    public CompletionStage<LockHandle> behind(CompletionStage<LockHandle> acquisition) {
        CompletableFuture<LockHandle> future = acquisition.toCompletableFuture();
        source = future;
        if (isDone()) {
            future.cancel(false);
        }
        return future;
    }

    /** Completes with a handle, or releases it if this future has already completed. */
    public void grant(LockHandle handle) {
        if (!complete(handle)) {
            handle.close();
        }
    }

    private void withdraw(@Nullable Throwable failure) {
        CompletableFuture<LockHandle> behind = source;
        if (failure != null && behind != null) {
            behind.cancel(false);
        }
    }

    /** Returns a stage's failure without the exceptions that stages wrap it in. */
    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
