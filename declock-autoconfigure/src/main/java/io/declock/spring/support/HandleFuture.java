// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.support;

import io.declock.LockHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A future for a lock handle in front of another acquisition, or of several in turn: when this future is cancelled or fails, the
 * acquisition behind it is withdrawn, and the handle that it was granted is released. Thread-safe.
 */
public final class HandleFuture extends CompletableFuture<LockHandle> {
    private volatile @Nullable CompletableFuture<LockHandle> source;

    /** Makes one without an acquisition behind it. */
    public HandleFuture() {
        CompletionStage<LockHandle> self = this;
        self.whenComplete((handle, failure) -> {
            if (failure != null) {
                withdraw();
            }
        });
    }

    /** Puts this future in front of that acquisition, whose outcome is not passed on. The acquisition before it is over. */
    public CompletionStage<LockHandle> behind(CompletionStage<LockHandle> acquisition) {
        withdraw();
        CompletableFuture<LockHandle> future = acquisition.toCompletableFuture();
        source = future;
        if (isDone()) {
            withdraw();
        }
        return future;
    }

    /** Completes with the handle, or with the failure if there is one. */
    public void end(@Nullable LockHandle handle, @Nullable Throwable failure) {
        if (failure != null) {
            completeExceptionally(unwrap(failure));
        } else {
            complete(handle);
        }
    }

    private void withdraw() {
        CompletableFuture<LockHandle> behind = source;
        if (behind != null) {
            behind.cancel(false);
            CompletionStage<LockHandle> granted = behind;
            granted.thenAccept(LockHandle::close);
        }
    }

    /** Returns a stage's failure without the exceptions that stages wrap it in. */
    // The core's StageFailure is internal, and takes one wrapper off; those of interceptors may be several.
    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
