// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.protocol.LockChain.Step;
import io.declock.spi.VerbResults;

/**
 * Changes the mode of a position that holds the lock (rule D3 of docs/protocol.md): a downgrade grants the lock to the readers directly
 * behind, an upgrade is possible only if there is no other position.
 */
final class Conversion {
    private Conversion() {}

    static void startDowngrade(LockState lock, Effects effects) {
        lock.position.beginConversion();
        lock.op
                .use(Step.DOWNGRADED, effects)
                .begin(Purpose.CONVERT)
                .fetchAndAdd(lock.position.header(), LockHeader.downgrade())
                .read(lock.position.record(), lock.position.words());
    }

    static void onDowngraded(LockState lock, VerbResults results, Effects effects) {
        lock.position.endConversion();
        lock.position.toMode(false);
        lock.tenure.forgetRemote();
        long found = results.value(0);
        HandOver readers = Successors.mayGrantAfter(found)
                ? HandOver.afterDowngrade(lock.position.layout(), lock.position.epoch(), found, lock.position.index())
                : null;
        if (readers != null) {
            Successors.grant(lock, readers.telling(lock.upper.valueToTell()), results, 1, effects);
        }
        lock.upper.settled(effects);
    }

    static void startUpgrade(LockState lock, Effects effects) {
        lock.position.beginConversion();
        lock.wish().beginToTry();
        readHeader(lock, effects);
    }

    /** READs the header for a reader that wants to be the writer. */
    static void readHeader(LockState lock, Effects effects) {
        lock.op.use(Step.UPGRADE_READ, effects).begin(Purpose.CONVERT).read(lock.position.header(), 1);
    }

    static void onUpgradeRead(LockState lock, VerbResults results, Effects effects) {
        long header = results.value(0);
        if (!isAlone(lock, header) || lock.isFrozen() || !lock.tenure.canUpgradeTo(LockHeader.head(header))) {
            if (mayBeAloneLater(lock, header)) {
                readMark(lock, header, effects);
            } else {
                endUpgrade(lock, false, effects);
            }
            return;
        }
        lock.op
                .goingBy(header)
                .use(Step.UPGRADE_SWAPPED, effects)
                .begin(Purpose.CONVERT)
                .compareAndSwap(lock.position.header(), header, header - LockHeader.downgrade());
    }

    /** Returns whether all other positions are shared ones, which may be kept without a user. */
    private static boolean mayBeAloneLater(LockState lock, long header) {
        return LockHeader.size(header) > 1 && Wish.hasOnlyReaders(header) && Asking.mayAsk(lock, header);
    }

    private static void readMark(LockState lock, long header, Effects effects) {
        lock.op
                .goingBy(header)
                .use(Step.UPGRADE_MARK_READ, effects)
                .begin(Purpose.KEEP)
                .read(Asking.mark(lock, header), 1);
    }

    static void onMarkRead(LockState lock, VerbResults results, Effects effects) {
        if (!Asking.onMark(lock, lock.op.header(), results.value(0), effects)) {
            endUpgrade(lock, false, effects);
        }
    }

    private static boolean isAlone(LockState lock, long header) {
        return lock.position.mayCas(header) && LockHeader.size(header) == 1 && LockHeader.writers(header) == 0;
    }

    static void onUpgradeSwapped(LockState lock, VerbResults results, Effects effects) {
        if (results.value(0) != lock.op.header()) {
            onUpgradeRead(lock, results, effects);
            return;
        }
        lock.position.toMode(true);
        lock.position.toIndex(LockHeader.head(lock.op.header()));
        lock.tenure.upgrade(lock.position.index());
        endUpgrade(lock, true, effects);
    }

    static void endUpgrade(LockState lock, boolean success, Effects effects) {
        lock.position.endConversion();
        lock.upper.upgraded(success, effects);
    }
}
