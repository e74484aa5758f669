// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lock, and a value in the same server or in another one that it guards: the value is read when the lock is held, and another one of the same length is stored before it is
 * released, unless the lock was for reading.
 */
final class ValueOf implements LockUnderTest {
    /** What is stored: a short text, as a checkpoint is. */
    static final String TEXT = "{\"batch\":1234567,\"day\":\"2026-11-28\",\"by\":\"billing-1\"}";

    private final LockUnderTest lock;
    private final Store store;

    /** Where the values are. */
    interface Store extends AutoCloseable {
        @Nullable
        String get(String name) throws Exception;

        void set(String name, String value) throws Exception;

        /** Ends its own connections; one that uses those of the lock has none. */
        @Override
        default void close() {}
    }

    ValueOf(LockUnderTest lock, Store store) {
        this.lock = lock;
        this.store = store;
    }

    @Override
    public Held lock(String name, LockMode mode) throws Exception {
        Held held = lock.lock(name, mode);
        String found;
        try {
            found = store.get(name);
        } catch (Exception e) {
            held.unlock();
            throw e;
        }
        return () -> {
            if (mode.isExclusive()) {
                store.set(name, found == null ? TEXT : found);
            }
            held.unlock();
        };
    }

    @Override
    public Map<String, Long> counters() {
        return lock.counters();
    }

    @Override
    public void close() {
        lock.close();
        store.close();
    }
}
