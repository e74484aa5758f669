// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.protocol.CqlLock;
import io.declock.protocol.Effects;
import org.jspecify.annotations.Nullable;

/** Turning a hold into one of the other mode (rule D3 of docs/protocol.md). Guarded by the lock's mutex. */
final class HoldConversion {
    private final Holds holds;
    private final WaiterQueue queue;
    private final SessionBinding binding;
    private @Nullable LocalWaiter upgrader;

    HoldConversion(Holds holds, WaiterQueue queue, SessionBinding binding) {
        this.holds = holds;
        this.queue = queue;
        this.binding = binding;
    }

    /** The writer goes on as a reader. The remote position follows if it can now; an exclusive one serves readers too. */
    void toReader(Hold hold, Effects effects) {
        holds.toReader(hold);
        CqlLock remote = binding.remote();
        if (remote != null && remote.isExclusive() && isSettled(remote)) {
            remote.downgrade(effects);
        }
    }

    /** Tries to make the only reader a writer; never waits for others. */
    void tryUpgrade(Hold hold, LocalWaiter waiter, Effects effects) {
        CqlLock remote = binding.remote();
        if (remote == null || !isAlone(hold) || !isSettled(remote) || !binding.leaseValid()) {
            waiter.settle(LocalWaiter.State.BUSY, null);
        } else if (remote.isExclusive()) {
            upgradeLocally(hold, waiter, remote);
        } else {
            upgrader = waiter;
            remote.tryUpgrade(effects);
        }
    }

    private boolean isAlone(Hold hold) {
        return hold.lost() == null && hold.writes == 0 && holds.readers() == 1 && queue.isEmpty() && upgrader == null;
    }

    private static boolean isSettled(CqlLock remote) {
        return remote.state() == CqlLock.State.HELD && !remote.isConverting() && !remote.isFrozen();
    }

    private void upgradeLocally(Hold hold, LocalWaiter waiter, CqlLock remote) {
        if (!remote.tenure().hasNextToken(remote.isExclusive())) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        remote.tenure().nextToken();
        holds.toWriter(hold, remote.token());
        waiter.grant(hold, true);
    }

    /**
     * The remote position was upgraded, or could not be.
     *
     * @return false if nobody asks for it any more
     */
    boolean upgraded(boolean success, Effects effects) {
        LocalWaiter waiter = upgrader;
        upgrader = null;
        CqlLock remote = binding.remote();
        if (waiter == null || remote == null) {
            return false;
        }
        Hold hold = holds.readerOf(waiter.owner);
        if (success && hold != null && binding.leaseValid()) {
            holds.toWriter(hold, remote.token());
            waiter.grant(hold, true);
        } else {
            waiter.settle(LocalWaiter.State.BUSY, null);
        }
        effects.run(waiter);
        return true;
    }

    /** The session was lost, and with it the answer. */
    void giveUp(Effects effects) {
        LocalWaiter waiter = upgrader;
        upgrader = null;
        if (waiter != null) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            effects.run(waiter);
        }
    }
}
