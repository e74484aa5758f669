// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockMode;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import io.declock.internal.protocol.PositionState;

/** Changes the mode of a hold (rules D3 and O3 of docs/protocol.md). */
final class HoldConversion {
    private HoldConversion() {}

    /**
     * Turns the writer into a reader. The remote position is downgraded if that is possible now; otherwise it stays exclusive, which serves
     * readers too.
     */
    static void toReader(LocalState lock, Hold hold, Effects effects) {
        lock.holds.toReader(hold);
        CqlLock remote = lock.remote();
        if (remote != null && remote.isExclusive() && isSettled(remote)) {
            remote.downgrade(effects);
        }
    }

    /** Tries to make an acquisition of the only reader exclusive; never waits for others. */
    static void tryUpgrade(LocalState lock, Acquisition acquisition, LocalWaiter waiter, Effects effects) {
        Hold hold = acquisition.hold();
        CqlLock remote = lock.remote();
        if (hold.writes > 0) {
            // The owner already excludes all others by another acquisition.
            hold.upgradeOne();
            settleUpgrade(acquisition, waiter);
        } else if (remote == null || !isAlone(lock) || !isSettled(remote)) {
            waiter.settle(LocalWaiter.State.BUSY, null);
        } else if (remote.isExclusive()) {
            upgradeLocally(lock, acquisition, waiter, remote);
        } else {
            lock.upgrader = waiter;
            lock.upgrading = acquisition;
            remote.tryUpgrade(effects);
        }
    }

    private static boolean isAlone(LocalState lock) {
        return lock.holds.readers() == 1 && lock.queue.isEmpty() && lock.upgrader == null;
    }

    private static boolean isSettled(CqlLock remote) {
        return remote.state() == PositionState.HELD && !remote.isConverting() && !remote.isFrozen();
    }

    private static void upgradeLocally(LocalState lock, Acquisition acquisition, LocalWaiter waiter, CqlLock remote) {
        if (!remote.tenure().hasNextToken(remote.isExclusive())) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        remote.tenure().nextToken();
        lock.holds.toWriter(acquisition.hold(), remote.token());
        settleUpgrade(acquisition, waiter);
    }

    private static void settleUpgrade(Acquisition acquisition, LocalWaiter waiter) {
        acquisition.toMode(LockMode.WRITE);
        waiter.grant(acquisition.hold(), true);
    }

    /**
     * The attempt to upgrade the remote position ended.
     *
     * @return false if no acquisition waits for it any more
     */
    static boolean upgraded(LocalState lock, boolean success, Effects effects) {
        LocalWaiter waiter = lock.upgrader;
        Acquisition acquisition = lock.upgrading;
        lock.upgrader = null;
        lock.upgrading = null;
        CqlLock remote = lock.remote();
        if (waiter == null || acquisition == null || remote == null) {
            return false;
        }
        // Another thread may have closed its handle meanwhile.
        boolean wanted = !acquisition.isEnded() && acquisition.hold().lost() == null;
        if (success && wanted && lock.leaseValid(effects.now())) {
            lock.holds.toWriter(acquisition.hold(), remote.token());
            settleUpgrade(acquisition, waiter);
        } else {
            waiter.settle(LocalWaiter.State.BUSY, null);
            if (success && lock.holds.readers() > 0 && isSettled(remote)) {
                // The owner's remaining acquisitions are shared, so other compute nodes' readers may join.
                remote.downgrade(effects);
            }
        }
        effects.run(waiter);
        return true;
    }

    /** Refuses the upgrade, because the session was lost and its answer will not come. */
    static void giveUp(LocalState lock, Effects effects) {
        LocalWaiter waiter = lock.upgrader;
        lock.upgrader = null;
        lock.upgrading = null;
        if (waiter != null) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            effects.run(waiter);
        }
    }
}
