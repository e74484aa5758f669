// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import org.jspecify.annotations.Nullable;

/** Learns what a store's clients have read and written, to check it. Instants are those of the clients' clocks, in nanoseconds. Must be thread-safe where clients have several threads. */
public interface StoreObserver {
    /** Looks away. */
    StoreObserver NONE = new StoreObserver() {
        @Override
        public void got(CacheKey key, byte @Nullable [] value, long begun, long ended) {}

        @Override
        public void wrote(long tag, byte @Nullable [] value, long begun, long ended) {}
    };

    /**
     * A client has read.
     *
     * @param value the value, null if there was no object
     * @param begun when the client asked for the lock
     * @param ended when it has read
     */
    void got(CacheKey key, byte @Nullable [] value, long begun, long ended);

    /**
     * A client has written.
     *
     * @param tag tag of the object's key
     * @param value the value, null if the object was removed
     * @param begun when the client posted what it wrote
     * @param ended when that was executed
     */
    void wrote(long tag, byte @Nullable [] value, long begun, long ended);
}
