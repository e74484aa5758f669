// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import java.util.Map;

/**
 * One process's client of one product's locks, shared by all of its threads. Thread-safe. Each implementation uses its product as that
 * product's documentation recommends, and documents how.
 */
public interface LockUnderTest extends AutoCloseable {
    /**
     * Waits for a lock on behalf of the calling thread.
     *
     * @param mode the mode; products without read locks use their only lock for both modes
     */
    Held lock(String name, LockMode mode) throws Exception;

    /** Returns whether a thread of this process waits for that lock; only the hand-over load calls it. */
    default boolean isAwaited(String name) {
        throw new UnsupportedOperationException("this product does not tell whether a thread waits");
    }

    /** Returns the product's counters, which only grow; the measured window uses their difference. */
    default Map<String, Long> counters() {
        return Map.of();
    }

    @Override
    void close();

    /** A held lock. */
    @FunctionalInterface
    interface Held {
        /** Releases the lock; called once, by the thread that locked. */
        void unlock() throws Exception;
    }
}
