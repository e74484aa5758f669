// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.monitor.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * One owner's hold of one lock. Reentrant acquisitions share it. Guarded by its lock's mutex, but for the volatile fields, which
 * are written under it and may be read without.
 */
public final class Hold {
    final LocalLock lock;
    final Object owner;
    final long grantedAt;
    final GrantKind kind;
    int reads;
    int writes;
    private volatile long token;
    private volatile @Nullable LockLostException lost;
    private @Nullable Runnable onLost;

    Hold(LocalLock lock, Object owner, LockMode mode, long token, long grantedAt, GrantKind kind) {
        this.lock = lock;
        this.owner = owner;
        this.token = token;
        this.grantedAt = grantedAt;
        this.kind = kind;
        add(mode);
    }

    void add(LockMode mode) {
        if (mode.isExclusive()) {
            writes++;
        } else {
            reads++;
        }
    }

    private int count(LockMode mode) {
        return mode.isExclusive() ? writes : reads;
    }

    /** Returns whether that owner has this hold, in that mode and not lost. Exact for the owner itself only. */
    public boolean isStillHeldBy(Object asked, LockMode mode) {
        return owner == asked && lost == null && has(mode);
    }

    /** Returns whether it has an acquisition in a mode. */
    boolean has(LockMode mode) {
        return count(mode) > 0;
    }

    /** Takes one acquisition in a mode back, which it must have. */
    void subtract(LockMode mode) {
        if (mode.isExclusive()) {
            writes--;
        } else {
            reads--;
        }
    }

    void toToken(long newToken) {
        token = newToken;
    }

    void lose(LockLostException why) {
        lost = why;
    }

    /** Returns the lock it is a hold of. */
    public LocalLock lock() {
        return lock;
    }

    /** Returns the thread or explicit owner it belongs to. */
    public Object owner() {
        return owner;
    }

    /** Returns the fencing token. */
    public long token() {
        return token;
    }

    /** Returns why the hold was lost, or null while it is not. */
    public @Nullable LockLostException lost() {
        return lost;
    }

    /** Returns whether it excludes others. Exact under the mutex only. */
    public boolean isExclusive() {
        return writes > 0;
    }

    /** Returns when it was granted, on the node's clock. */
    public long grantedAt() {
        return grantedAt;
    }

    /** Returns how it was granted. */
    public GrantKind kind() {
        return kind;
    }

    /** Adds what is to be run when the hold is lost; runs at once if it is already. Takes the mutex. */
    public void whenLost(Runnable action) {
        boolean now;
        lock.mutex().lock();
        try {
            now = lost != null;
            if (!now) {
                Runnable before = onLost;
                onLost = before == null
                        ? action
                        : () -> {
                            before.run();
                            action.run();
                        };
            }
        } finally {
            lock.mutex().unlock();
        }
        if (now) {
            action.run();
        }
    }

    @Nullable
    Runnable takeOnLost() {
        Runnable action = onLost;
        onLost = null;
        return action;
    }
}
