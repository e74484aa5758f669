// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.ShuttingDownException;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import io.declock.internal.protocol.PositionState;
import org.jspecify.annotations.Nullable;

/** Decides a caller that comes to the lock, at once, or queues it. */
final class Arrival {
    private Arrival() {}

    /** Decides a caller or queues it. */
    static void arrive(LocalState lock, LocalWaiter waiter, Effects effects) {
        waiter.since = effects.now();
        if (reenter(lock, waiter, effects)) {
            return;
        }
        if (lock.host.isClosed()) {
            waiter.settle(LocalWaiter.State.FAILED, shuttingDown(lock));
        } else {
            enter(lock, waiter, effects);
        }
    }

    static ShuttingDownException shuttingDown(LocalState lock) {
        return new ShuttingDownException(lock.title() + " was not acquired: this process is shutting down");
    }

    /** Decides a caller whose owner has a hold, or has lost one without releasing it since (rule O6); returns false if the owner has neither. */
    private static boolean reenter(LocalState lock, LocalWaiter waiter, Effects effects) {
        Hold own = lock.holds.of(waiter.owner);
        if (own != null) {
            Losses.loseIfOver(lock, own, effects);
            if (own.lost() == null) {
                Granter.reenter(own, waiter);
                return true;
            }
        }
        Hold lost = lock.holds.lostBy(waiter.owner);
        LockLostException why = lost == null ? null : lost.lost();
        if (why == null) {
            return false;
        }
        waiter.settle(
                LocalWaiter.State.FAILED,
                new LockLostException(
                        lock.title() + " cannot be acquired by an owner that lost it and has not released it since: "
                                + why.getMessage(),
                        why));
        return true;
    }

    /** Decides a caller that has no hold, or queues it. */
    private static void enter(LocalState lock, LocalWaiter waiter, Effects effects) {
        CqlLock remote = lock.remote();
        if (!waiter.isExclusive() && remote != null && mayJoinReaders(lock, remote, effects)) {
            Granter.join(lock, waiter, remote, effects);
            return;
        }
        if (waiter.noWait && !mayTry(lock, waiter, remote) && !mayAwaitLook(lock, waiter, remote, effects)) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        waiter.stamp(lock.session(), effects.now());
        lock.queue.add(waiter);
        if (lock.queue.first() == waiter && lock.holds.hasWriter()) {
            waiter.toNextInLine();
        }
        Granter.advance(lock, effects);
        if (waiter.queued && remote != null && remote.state() == PositionState.HELD) {
            Granter.lookAhead(lock, remote, effects);
        }
    }

    private static boolean mayJoinReaders(LocalState lock, CqlLock remote, Effects effects) {
        return lock.holds.readers() > 0
                && remote.state() == PositionState.HELD
                && !remote.isConverting()
                && !remote.isFrozen()
                && Turn.mayJoin(remote, lock.host, effects.now())
                && lock.queue.isEmpty()
                && lock.leaseValid(effects.now());
    }

    /**
     * Returns whether a caller that must not wait may try the remote queue: alone, or, if it is a reader among readers, together with the
     * readers whose operation is under way.
     */
    private static boolean mayTry(LocalState lock, LocalWaiter waiter, @Nullable CqlLock remote) {
        if (!lock.holds.isEmpty() || remote != null && remote.isFrozen()) {
            return false;
        }
        if (!lock.queue.isEmpty()) {
            return !waiter.isExclusive() && lock.queue.writers() == 0 && (remote == null || isUndecided(remote));
        }
        return remote == null
                || remote.state() == PositionState.IDLE
                || remote.state() == PositionState.LEAVING
                || Granter.isKeptUnused(lock);
    }

    /** Returns whether a look at the remote queue may show that a reader that must not wait may join the readers. */
    private static boolean mayAwaitLook(
            LocalState lock, LocalWaiter waiter, @Nullable CqlLock remote, Effects effects) {
        return !waiter.isExclusive()
                && remote != null
                && !lock.holds.hasWriter()
                && (lock.holds.readers() > 0 || !lock.queue.isEmpty())
                && lock.queue.writers() == 0
                && remote.state() == PositionState.HELD
                && !remote.isConverting()
                && !remote.isFrozen()
                && !remote.tenure().knowsRemote()
                && (remote.isLooking() || !Turn.mayJoin(remote, lock.host, effects.now()));
    }

    /** Returns whether the awaited answer may grant the position at once, to readers. */
    private static boolean isUndecided(CqlLock remote) {
        return switch (remote.state()) {
            case LEAVING -> true;
            case TRYING, ENQUEUING, REQUEUING, LEARNING -> !remote.isExclusive();
            default -> false;
        };
    }
}
