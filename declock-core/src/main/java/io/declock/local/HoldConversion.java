// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.protocol.CqlLock;
import io.declock.protocol.Effects;

/** Turning a hold into one of the other mode (rule D3 of docs/protocol.md). Guarded by the lock's mutex. */
final class HoldConversion {
    private HoldConversion() {}

    /** The writer goes on as a reader. The remote position follows if it can now; an exclusive one serves readers too. */
    static void toReader(LocalLock lock, Hold hold, Effects effects) {
        lock.holds.toReader(hold);
        CqlLock remote = lock.binding.remote();
        if (remote != null && remote.isExclusive() && isSettled(remote)) {
            remote.downgrade(effects);
        }
    }

    /** Tries to make the only reader a writer; never waits for others. */
    static void tryUpgrade(LocalLock lock, Hold hold, LocalWaiter waiter, Effects effects) {
        CqlLock remote = lock.binding.remote();
        if (remote == null || !isAlone(lock, hold) || !isSettled(remote) || !lock.binding.leaseValid(effects.now())) {
            waiter.settle(LocalWaiter.State.BUSY, null);
        } else if (remote.isExclusive()) {
            upgradeLocally(lock, hold, waiter, remote);
        } else {
            lock.upgrader = waiter;
            remote.tryUpgrade(effects);
        }
    }

    private static boolean isAlone(LocalLock lock, Hold hold) {
        return hold.lost() == null
                && hold.writes == 0
                && lock.holds.readers() == 1
                && lock.queue.isEmpty()
                && lock.upgrader == null;
    }

    private static boolean isSettled(CqlLock remote) {
        return remote.state() == CqlLock.State.HELD && !remote.isConverting() && !remote.isFrozen();
    }

    private static void upgradeLocally(LocalLock lock, Hold hold, LocalWaiter waiter, CqlLock remote) {
        if (!remote.tenure().hasNextToken(remote.isExclusive())) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        remote.tenure().nextToken();
        lock.holds.toWriter(hold, remote.token());
        waiter.grant(hold, true);
    }

    /**
     * The remote position was upgraded, or could not be.
     *
     * @return false if nobody asks for it any more
     */
    static boolean upgraded(LocalLock lock, boolean success, Effects effects) {
        LocalWaiter waiter = lock.upgrader;
        lock.upgrader = null;
        CqlLock remote = lock.binding.remote();
        if (waiter == null || remote == null) {
            return false;
        }
        Hold hold = lock.holds.readerOf(waiter.owner);
        if (success && hold != null && lock.binding.leaseValid(effects.now())) {
            lock.holds.toWriter(hold, remote.token());
            waiter.grant(hold, true);
        } else {
            waiter.settle(LocalWaiter.State.BUSY, null);
        }
        effects.run(waiter);
        return true;
    }

    /** The session was lost, and with it the answer. */
    static void giveUp(LocalLock lock, Effects effects) {
        LocalWaiter waiter = lock.upgrader;
        lock.upgrader = null;
        if (waiter != null) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            effects.run(waiter);
        }
    }
}
