// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import org.jspecify.annotations.Nullable;

/**
 * Carries the holds of a lock from a session that broke off to one with the memory node's next life (rules H3 and H4 of docs/protocol.md).
 * The lock is frozen from the break to the end of the memory node's grace. The holds rest on the former session's lease until they count
 * in the next one. Waiters stay in the local queue and ask anew (rule H8).
 */
public final class Moving {
    private Moving() {}

    /**
     * What is to be restored.
     *
     * @param exclusive whether there is a writer
     * @param epoch highest epoch of the lock that this node knows
     */
    public record Held(boolean exclusive, long epoch) {}

    /** Keeps the holds of a session that broke off; returns whether there are any. */
    static boolean suspend(LocalState lock, CqlEnvironment ended, LockLostException why, Effects effects) {
        return isOf(lock, ended) && suspend(lock, lock.isLeaving(), why, effects);
    }

    /** Keeps the holds of a lock that leaves a session for another memory node (rule M2); returns whether there are any. */
    static boolean leave(LocalState lock, CqlEnvironment former, LockLostException why, Effects effects) {
        boolean kept = isOf(lock, former) && suspend(lock, false, why, effects);
        if (kept) {
            lock.leave();
        }
        return kept;
    }

    /** @param isLost the memory node that was to take the holds over has lost them, and perhaps lets others have the lock */
    private static boolean suspend(LocalState lock, boolean isLost, LockLostException why, Effects effects) {
        HoldConversion.giveUp(lock, effects);
        if (isLost || lock.holds.isEmpty() || !lock.leaseValid(effects.now())) {
            startOver(lock, why, effects);
            return false;
        }
        lock.suspend();
        return true;
    }

    /** Returns whether a lock's remote side, or the lease of its holds, belongs to a session. */
    private static boolean isOf(LocalState lock, CqlEnvironment session) {
        CqlLock remote = lock.remote();
        return lock.session() == session || remote != null && remote.environment() == session;
    }

    private static void startOver(LocalState lock, LockLostException why, Effects effects) {
        lock.unbind();
        Losses.loseAll(lock, why, effects);
        Granter.advance(lock, effects);
    }

    /** The lease is judged here, when there is a connection to the next life (rule H3). */
    static @Nullable Held toRestore(LocalState lock, LockLostException why, Effects effects) {
        if (!lock.isSuspended()) {
            return null;
        }
        if (lock.holds.isEmpty() || !isWithinLease(lock, effects)) {
            startOver(lock, why, effects);
            return null;
        }
        lock.restoring(true);
        return new Held(lock.holds.hasWriter(), lock.suspendedEpoch());
    }

    /** The lock has a position in the next life, also if its holds were lost or released meanwhile: then that is given back in due course. */
    static void restored(LocalState lock, CqlLock side) {
        if (lock.isSuspended()) {
            lock.restore(side);
        }
    }

    static void notRestored(LocalState lock, @Nullable LockLostException why, Effects effects) {
        if (!lock.isSuspended()) {
            return;
        }
        lock.restoring(false);
        if (why != null) {
            startOver(lock, why, effects);
        } else if (lock.holds.isEmpty()) {
            lock.unbind();
            Granter.advance(lock, effects);
        }
    }

    /** The restored holds count from now on, if the former lease has lasted until now. */
    static void moved(LocalState lock, CqlEnvironment next, LockLostException why, Effects effects) {
        CqlLock remote = lock.remote();
        if (remote == null || remote.environment() != next || lock.session() == next) {
            return;
        }
        if (!isWithinLease(lock, effects)) {
            Losses.loseAll(lock, why, effects);
        }
        lock.restOn(next);
        for (Hold hold : lock.holds.all()) {
            Hold.Reserved reserved = hold.reserved();
            if (reserved != null) {
                effects.run(reserved::moved);
            }
        }
    }

    /** Judged with a connection to the next life, before a hold is restored and before it counts there: a process may have been paused. */
    private static boolean isWithinLease(LocalState lock, Effects effects) {
        return lock.leaseValid(effects.now());
    }

    /** A session has ended, or the lease that the holds rest on has run out. */
    static void sessionLost(LocalState lock, CqlEnvironment ended, LockLostException why, Effects effects) {
        if (!isOf(lock, ended)) {
            return;
        }
        HoldConversion.giveUp(lock, effects);
        CqlLock remote = lock.remote();
        if (remote != null && remote.environment() != ended) {
            // The next life counts a hold of this node, whose lease was the former one: the position is given back
            // there.
            Losses.loseAll(lock, why, effects);
            lock.restOn(remote.environment());
        } else if (lock.isRestoring()) {
            Losses.loseAll(lock, why, effects);
        } else {
            startOver(lock, why, effects);
        }
    }
}
