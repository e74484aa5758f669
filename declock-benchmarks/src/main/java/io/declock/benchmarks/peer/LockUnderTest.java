// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import java.util.Map;

/**
 * One process's way to the locks of one product, shared by all of its threads. Thread-safe. Each implementation uses its product
 * as that product's documentation recommends and says so.
 */
public interface LockUnderTest extends AutoCloseable {
    /**
     * Waits for a lock on behalf of the calling thread.
     *
     * @param mode products without read locks take their only lock for either mode
     */
    Held lock(String name, LockMode mode) throws Exception;

    /** Returns whether a thread of this process waits in line for that lock; only the hand-over load asks. */
    default boolean isAwaited(String name) {
        throw new UnsupportedOperationException("this product does not tell who waits");
    }

    /** Returns what the product counts, ever growing, for the difference over the measured window. */
    default Map<String, Long> counters() {
        return Map.of();
    }

    @Override
    void close();

    /** A lock that is held. */
    @FunctionalInterface
    interface Held {
        /** Gives it back; called once, by the thread that locked. */
        void unlock() throws Exception;
    }
}
