// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Counters.Event;
import io.declock.GrantKind;
import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.VerbResults;

/**
 * Takes a position for a caller that must not wait, by READ and CAS (rule D1). A lock that another compute node keeps without using it is asked for
 * once (rule K4).
 */
final class Trying {
    private Trying() {}

    static void start(LockState lock, boolean exclusive, int timestamp, Effects effects) {
        lock.position.expect(PositionState.IDLE);
        lock.position.want(exclusive, timestamp);
        lock.position.to(PositionState.TRYING);
        lock.tenure.ask(effects.now());
        lock.wish().beginToTry();
        lock.env.counters().count(Event.REMOTE_ACQUISITION);
        readHeader(lock, effects);
    }

    /** READs the header for a caller that must not wait. */
    static void readHeader(LockState lock, Effects effects) {
        lock.op.use(Step.TRY_READ, effects).begin(Purpose.CONVERT).read(lock.position.header(), 1);
    }

    static void onTryRead(LockState lock, VerbResults results, Effects effects) {
        long header = results.value(0);
        boolean walled = lock.position.isBeyondWall(header);
        if (walled || !lock.position.mayCas(header) || !LockHeader.grants(header, lock.position.isExclusive())) {
            if (!walled && Asking.mayAsk(lock, header)) {
                readMark(lock, header, effects);
                return;
            }
            if (walled) {
                lock.checkRange(header, effects);
            }
            notGranted(lock, header, effects);
            return;
        }
        lock.op
                .goingBy(header)
                .use(Step.TRY_SWAPPED, effects)
                .begin(Purpose.CONVERT)
                .compareAndSwap(
                        lock.position.header(), header, header + LockHeader.acquire(lock.position.isExclusive()));
    }

    /** The lock is not granted to a caller that must not wait. */
    static void notGranted(LockState lock, long header, Effects effects) {
        lock.position.to(PositionState.IDLE);
        Freeze.notice(lock, header, effects);
        if (!lock.isFrozen()) {
            findsTaken(lock, header, effects);
        }
        lock.upper.notGranted(effects);
    }

    /** A caller that must not wait found the lock taken. */
    private static void findsTaken(LockState lock, long header, Effects effects) {
        if (LockHeader.size(header) == 0) {
            lock.suspicion.nothingIsLeftBehind();
        } else if (lock.isSuspicious(header, effects.now())) {
            lock.requestReset(ResetReason.SUSPECTED, effects);
        }
    }

    static void onTrySwapped(LockState lock, VerbResults results, Effects effects) {
        if (results.value(0) != lock.op.header()) {
            onTryRead(lock, results, effects);
            return;
        }
        lock.position.toIndex(LockHeader.tail(lock.op.header()));
        lock.checkRange(lock.op.header(), effects);
        lock.hold(GrantKind.UNCONTENDED, effects);
    }

    // ---------------------------------------------------------------- a lock that is kept

    private static void readMark(LockState lock, long header, Effects effects) {
        lock.op
                .goingBy(header)
                .use(Step.TRY_MARK_READ, effects)
                .begin(Purpose.KEEP)
                .read(Asking.mark(lock, header), 1);
    }

    static void onTryMarkRead(LockState lock, VerbResults results, Effects effects) {
        if (!Asking.onMark(lock, lock.op.header(), results.value(0), effects)) {
            notGranted(lock, lock.op.header(), effects);
        }
    }
}
