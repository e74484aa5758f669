// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;

/**
 * Freezes a lock whose operation has met a reset: the node awaits the new epoch. The initiator sends its signal in any case; {@link
 * ResetMember} goes on from there.
 */
final class Freeze {
    private static final int MOST_DOUBLINGS = 4;

    private Freeze() {}

    /** Checks a header that an operation returned for signs of a reset. */
    static void notice(LockState lock, long header, Effects effects) {
        if (LockHeader.isInReset(header) || !lock.position.isOfEpoch(header)) {
            await(lock, effects);
        }
    }

    /** Gives the position up, because the node met a reset. */
    static void abort(LockState lock, Effects effects) {
        lock.position.to(PositionState.ABORTED);
        await(lock, effects);
    }

    private static void await(LockState lock, Effects effects) {
        lock.freeze();
        if (lock.suspicion.takeOccasion()) {
            lock.requestReset(ResetReason.STALLED_RESET, effects);
        }
        lock.position.abortWaiting();
        poll(lock, effects);
    }

    /** Plans to READ the epoch, in case that no message tells it; each time doubles the time, up to a limit. */
    static void poll(LockState lock, Effects effects) {
        if (!lock.beginPolling()) {
            return;
        }
        long interval = lock.env.settings().resetPollInterval().toNanos() << Math.min(lock.countPoll(), MOST_DOUBLINGS);
        lock.start(LockTimer.RESET_POLL, interval + lock.env.random().below(interval / 2), effects);
    }
}
