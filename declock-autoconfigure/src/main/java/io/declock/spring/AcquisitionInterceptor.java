// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

import io.declock.LockHandle;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import java.util.concurrent.CompletionStage;

/**
 * Works around each acquisition of the application's {@link io.declock.DistributedReadWriteLock}, also through its
 * {@link java.util.concurrent.locks.ReadWriteLock} views and by {@link DecLocked}. Beans of this type are applied in their order, the first
 * one outermost.
 *
 * <p>An interceptor may refuse an acquisition, by an exception or without calling {@code next}. It may call {@code next} again after a
 * failure, and pass on the request with another wait time. It never gets the lock: if it fails after the lock was granted, the lock is
 * released. Implementations must be thread-safe.
 */
public interface AcquisitionInterceptor {
    /**
     * Acquires on the calling thread.
     *
     * @param request names, modes, wait time and ceiling
     * @param next the rest of the acquisition; to be called on this thread
     * @return whether the locks were granted; where false has no meaning to the caller, it gets a {@link LockNotGrantedException}
     * @throws InterruptedException if interrupted while waiting
     */
    boolean acquire(LockRequest request, Acquisition next) throws InterruptedException;

    /**
     * Acquires without blocking.
     *
     * @param request names, modes, wait time and ceiling
     * @param next the rest of the acquisition; its stage fails where the acquisition fails
     * @return the stage of {@code next}, or one that depends on it
     */
    CompletionStage<LockHandle> acquireAsync(LockRequest request, AsyncAcquisition next);

    /** The rest of an acquisition on the calling thread: the interceptors further inside, and the lock. */
    @FunctionalInterface
    interface Acquisition {
        /**
         * {@return whether the locks were granted}
         *
         * @param request what to acquire
         * @throws InterruptedException if interrupted while waiting; nothing is held then
         */
        boolean acquire(LockRequest request) throws InterruptedException;
    }

    /** The rest of an acquisition without a thread. */
    @FunctionalInterface
    interface AsyncAcquisition {
        /**
         * {@return completes with the handle, or with the failure}
         *
         * @param request what to acquire
         */
        CompletionStage<LockHandle> acquire(LockRequest request);
    }
}
