// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import io.declock.DecLockException;
import io.declock.LockHandle;
import io.declock.LockInterruptedException;
import io.declock.LockLostException;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.LockRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Acquisitions of one lock by one thread that end together. An acquisition with a time to live has a hold of its own inside of the
 * enclosing one; acquisitions without one are counted. So a thread that holds the lock needs no memory node to lock it again.
 *
 * <p>A ceiling of the lock cannot be moved once it is set. So a hold with a time to live is two acquisitions of the lock: one without a
 * ceiling, and within it one with a ceiling, which a renewal replaces. The loss of the inner one releases the outer one.
 *
 * <p>Only its thread uses it.
 */
final class ThreadHold {
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    private final ThreadHolds.Key key;
    private final @Nullable ThreadHold enclosing;
    private final LockHandle whole;
    private @Nullable Limit limit;
    /** A loss that a renewal has found by closing a handle, which tells it only once. */
    private @Nullable LockLostException loss;

    private int acquisitions = 1;

    private ThreadHold(ThreadHolds.Key key, @Nullable ThreadHold enclosing, LockHandle whole) {
        this.key = key;
        this.enclosing = enclosing;
        this.whole = whole;
    }

    /** The acquisition with the ceiling. */
    private record Limit(LockHandle handle, Duration ttl) {}

    /**
     * Acquires for the calling thread.
     *
     * @param wait how long to wait, or null for ever
     * @param ttl the time to live, or null for none
     * @param enclosing the thread's innermost hold of this lock, or null
     * @return the hold, or null if another holder has the lock
     */
    static @Nullable ThreadHold acquire(
            ThreadHolds.Key key, @Nullable Duration wait, @Nullable Duration ttl, @Nullable ThreadHold enclosing)
            throws InterruptedException {
        LockRequest request = LockRequest.write(key.name());
        LockHandle whole = wait == null
                ? key.locks().acquire(request.waitTime(FOR_EVER))
                : key.locks().tryAcquire(request.waitTime(wait)).orElse(null);
        if (whole == null) {
            return null;
        }
        ThreadHold hold = new ThreadHold(key, enclosing, whole);
        if (ttl != null) {
            boolean isLimited = false;
            try {
                hold.limit(ttl);
                isLimited = true;
            } finally {
                if (!isLimited) {
                    closed(whole);
                }
            }
        }
        return hold;
    }

    /** Begins a time to live in place of the one before. */
    private void limit(Duration ttl) throws InterruptedException {
        Limit before = limit;
        LockHandle begun = acquireLimited(ttl);
        // If the time before is over, this is not the hold any more: the lock may have been granted anew.
        loss = before == null ? null : closed(before.handle());
        if (loss != null || !whole.isValid()) {
            closed(begun);
            throw lost(loss);
        }
        begun.onLost((handle, why) -> closed(whole));
        limit = new Limit(begun, ttl);
    }

    private LockHandle acquireLimited(Duration ttl) throws InterruptedException {
        try {
            return key.locks()
                    .acquire(LockRequest.write(key.name())
                            .waitTime(Duration.ZERO)
                            .leaseTime(ttl));
        } catch (LockNotGrantedException e) {
            // The time before was over a moment ago, and another holder has the lock.
            throw lost(e);
        }
    }

    /**
     * Counts one acquisition more.
     *
     * @throws LockLostException if the lock was lost
     */
    void again() {
        checkValid();
        acquisitions++;
    }

    /**
     * Checks that the lock was not lost.
     *
     * @throws LockLostException if it was
     */
    void checkValid() {
        if (!isValid()) {
            throw lost(null);
        }
    }

    private boolean isValid() {
        Limit current = limit;
        return whole.isValid() && (current == null || current.handle().isValid());
    }

    /**
     * Checks that the lock was not lost, and begins its time to live anew if it has one.
     *
     * @param ttl the new time to live, or null for the one before
     * @throws IllegalStateException if the lock was lost
     */
    void renew(@Nullable Duration ttl) {
        // An acquisition of what the thread holds does not wait, but would end at once by an interrupt that is pending.
        boolean interrupted = Thread.interrupted();
        try {
            checkValid();
            Limit current = limit;
            if (current != null) {
                limit(ttl == null ? current.ttl() : ttl);
            }
        } catch (LockLostException e) {
            throw new IllegalStateException(
                    "lock " + LockNames.quoted(key.name()) + " cannot be renewed, because it was lost", e);
        } catch (InterruptedException e) {
            interrupted = true;
            throw new LockInterruptedException(
                    "interrupted while lock " + LockNames.quoted(key.name()) + " was renewed", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    long fencingToken() {
        return whole.fencingToken();
    }

    /** Returns the thread's hold after one acquisition of this one ended: itself, the enclosing one, or null. */
    @Nullable
    ThreadHold afterRelease() {
        return acquisitions > 1 ? this : enclosing;
    }

    /** Ends one acquisition; returns why the lock had been lost, or null. */
    @Nullable
    LockLostException release() {
        acquisitions--;
        if (acquisitions > 0) {
            return isValid() ? null : lost(null);
        }
        Limit current = limit;
        LockLostException ofLimit = current == null ? null : closed(current.handle());
        LockLostException ofWhole = closed(whole);
        return loss != null ? loss : ofLimit != null ? ofLimit : ofWhole;
    }

    private LockLostException lost(@Nullable DecLockException why) {
        return new LockLostException(
                "lock " + LockNames.quoted(key.name()) + " was lost by " + Thread.currentThread()
                        + ", which must unlock it as often as it has locked it before it can lock it again",
                why);
    }

    /** Closes a handle; returns why its lock had been lost, or null. */
    private static @Nullable LockLostException closed(LockHandle handle) {
        try {
            handle.close();
            return null;
        } catch (LockLostException e) {
            return e;
        }
    }
}
