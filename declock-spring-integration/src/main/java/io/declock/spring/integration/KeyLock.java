// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import io.declock.LockLostException;
import io.declock.LockNames;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/** The lock of one key, for whichever thread calls. Immutable, thread-safe. */
final class KeyLock implements DistributedLock {
    private final ThreadHolds.Key key;

    KeyLock(ThreadHolds.Key key) {
        this.key = key;
    }

    @Override
    public void lock() {
        acquireUninterruptibly(null, null);
    }

    @Override
    public void lock(Duration ttl) {
        acquireUninterruptibly(null, positive(ttl));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        acquire(null, null);
    }

    @Override
    public boolean tryLock() {
        return acquireUninterruptibly(Duration.ZERO, null);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return acquire(Duration.ofNanos(Math.max(0, unit.toNanos(time))), null);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        Duration wait = waitTime.isNegative() ? Duration.ZERO : waitTime;
        return acquire(wait, positive(ttl));
    }

    /** Acquires as {@link #acquire}, whatever interrupts come. A wait that is interrupted begins again, at the end of the queue. */
    private boolean acquireUninterruptibly(@Nullable Duration wait, @Nullable Duration ttl) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return acquire(wait, ttl);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Duration positive(Duration ttl) {
        if (ttl.isZero() || ttl.isNegative()) {
            throw new IllegalArgumentException("a time to live must be positive, and not " + ttl);
        }
        return ttl;
    }

    /**
     * Acquires for the calling thread.
     *
     * @param wait how long to wait, or null for ever
     * @param ttl the time to live, or null for none
     * @return whether the lock was granted; always if the wait is for ever
     */
    private boolean acquire(@Nullable Duration wait, @Nullable Duration ttl) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        ThreadHold held = ThreadHolds.find(key);
        if (held != null && ttl == null) {
            held.again();
            return true;
        }
        if (held != null) {
            held.checkValid();
        }
        ThreadHold hold = ThreadHold.acquire(key, wait, ttl, held);
        if (hold == null) {
            return false;
        }
        ThreadHolds.set(key, hold);
        return true;
    }

    @Override
    public void unlock() {
        ThreadHold held = ThreadHolds.get(key);
        ThreadHolds.set(key, held.afterRelease());
        LockLostException lost = held.release();
        if (lost != null) {
            throw new ConcurrentModificationException(
                    "lock " + LockNames.quoted(key.name())
                            + " was lost before it was unlocked, so that what it protects may have been changed"
                            + " by another holder: " + lost.getMessage(),
                    lost);
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return "DecLock[" + key.name() + "]";
    }
}
