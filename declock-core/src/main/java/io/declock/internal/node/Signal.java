// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Parks threads until other threads make their conditions true. It has no mutex, so a thread may signal under any mutex, and a condition
 * may take any mutex. Thread-safe.
 */
final class Signal implements Waiting {
    private final AtomicLong changes = new AtomicLong();
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

    @Override
    public void signal() {
        changes.getAndIncrement();
        for (Thread thread : waiting) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
        long began = System.nanoTime();
        Thread thread = Thread.currentThread();
        waiting.add(thread);
        try {
            while (true) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                // Read before the check, so that no change during the check is missed, even if the check itself parks
                // and uses up the
                // permit.
                long seen = changes.get();
                if (condition.getAsBoolean()) {
                    return true;
                }
                long left = nanos - (System.nanoTime() - began);
                if (left <= 0) {
                    return false;
                }
                if (changes.get() == seen) {
                    LockSupport.parkNanos(this, left);
                }
            }
        } finally {
            waiting.remove(thread);
        }
    }
}
