// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A lock, and a value in the same server that it guards: the value is read when the lock is held, and another one of the same length is stored before it is
 * released, unless the lock was for reading.
 */
final class ValueOf implements LockUnderTest {
    /** What is stored: a short text, as a checkpoint is. */
    static final String TEXT = "{\"batch\":1234567,\"day\":\"2026-11-28\",\"by\":\"billing-1\"}";

    private final LockUnderTest lock;
    private final Store store;

    /** Where the values are. */
    interface Store {
        @Nullable
        String get(String name);

        void set(String name, String value);
    }

    ValueOf(LockUnderTest lock, Store store) {
        this.lock = lock;
        this.store = store;
    }

    @Override
    public Held lock(String name, LockMode mode) throws Exception {
        Held held = lock.lock(name, mode);
        String found = store.get(name);
        return () -> {
            if (mode.isExclusive()) {
                store.set(name, found == null ? TEXT : found);
            }
            held.unlock();
        };
    }

    @Override
    public void close() {
        lock.close();
    }
}
