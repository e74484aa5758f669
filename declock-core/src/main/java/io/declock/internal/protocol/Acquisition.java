// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.GrantKind;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.VerbResults;

/** Takes a position by one FAA, whose result shows whether the position holds the lock (DecLock, section 4.2, workflows 1 and 2). */
final class Acquisition {
    private Acquisition() {}

    static void start(LockState lock, boolean exclusive, int timestamp, Effects effects) {
        lock.position.expect(PositionState.IDLE);
        lock.position.want(exclusive, timestamp);
        if (lock.isFrozen()) {
            lock.position.to(PositionState.ABORTED);
            lock.upper.mustWait(effects);
            return;
        }
        if (lock.isWalled()) {
            lock.requestReset(ResetReason.GUARD, effects);
            Freeze.abort(lock, effects);
            lock.upper.mustWait(effects);
            return;
        }
        lock.position.to(PositionState.ENQUEUING);
        lock.tenure.ask(effects.now());
        lock.env.counters().count(Event.REMOTE_ACQUISITION);
        lock.op
                .use(Step.ENQUEUED, effects)
                .begin(Purpose.ACQUIRE)
                .fetchAndAdd(lock.position.header(), LockHeader.acquire(exclusive));
    }

    /**
     * Handles the result of the FAA that took a position; {@code before} is the header that it returned. If a reset was signalled
     * meanwhile, a position that holds the lock is acknowledged as a hold, and one that would have to wait is given up like any other
     * (rules B4 and B6).
     */
    static void arrive(LockState lock, long before, Effects effects) {
        if (isTakenInReset(before)) {
            Freeze.abort(lock, effects);
            lock.upper.mustWait(effects);
            return;
        }
        if (!lock.position.isOfEpoch(before)) {
            lock.position.to(PositionState.LEARNING);
            lock.op
                    .goingBy(before)
                    .use(Step.EPOCH_LEARNT, effects)
                    .begin(Purpose.RESET)
                    .read(lock.position.layout().epoch(lock.position.record()), 1);
            return;
        }
        lock.position.toIndex(LockHeader.tail(before));
        lock.checkRange(before, effects);
        if (LockHeader.grants(before, lock.position.isExclusive())) {
            lock.hold(GrantKind.UNCONTENDED, effects);
            return;
        }
        lock.upper.mustWait(effects);
        if (!mayWait(lock)) {
            Freeze.abort(lock, effects);
            return;
        }
        PendingRequest.register(lock, before, effects);
    }

    private static boolean mayWait(LockState lock) {
        return !lock.isFrozen();
    }

    /** A position taken while a reset is under way does not count (rule B1). */
    private static boolean isTakenInReset(long before) {
        return LockHeader.isInReset(before);
    }

    static void onEpochLearnt(LockState lock, VerbResults results, Effects effects) {
        long learnt = LockHeader.fullEpoch(lock.op.header(), results.value(0));
        if (learnt != lock.position.epoch()) {
            lock.position.toEpoch(learnt);
            lock.env.sawEpoch(learnt);
            lock.thaw();
        }
        arrive(lock, lock.op.header(), effects);
    }
}
