// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.migration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

// tag::both-locks[]
/** Two locks taken as one, the former one first. */
record BothLocks(Lock former, Lock next) implements Lock {
    @Override
    public void lock() {
        former.lock();
        try {
            next.lock();
        } catch (RuntimeException e) {
            former.unlock();
            throw e;
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        former.lockInterruptibly();
        try {
            next.lockInterruptibly();
        } catch (InterruptedException | RuntimeException e) {
            former.unlock();
            throw e;
        }
    }

    @Override
    public boolean tryLock() {
        if (!former.tryLock()) {
            return false;
        }
        boolean both = false;
        try {
            both = next.tryLock();
        } finally {
            if (!both) {
                former.unlock();
            }
        }
        return both;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long start = System.nanoTime();
        if (!former.tryLock(time, unit)) {
            return false;
        }
        boolean both = false;
        try {
            long left = Math.max(0, unit.toNanos(time) - (System.nanoTime() - start));
            both = next.tryLock(left, TimeUnit.NANOSECONDS);
        } finally {
            if (!both) {
                former.unlock();
            }
        }
        return both;
    }

    @Override
    public void unlock() {
        try {
            next.unlock();
        } finally {
            former.unlock();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("neither lock has conditions");
    }
}
// end::both-locks[]
