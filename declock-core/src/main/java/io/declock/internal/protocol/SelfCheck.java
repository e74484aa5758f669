// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.VerbResults;

/**
 * Tells a waiter from a READ of the record whether it has the lock (rules A3, A4, A8 of docs/protocol.md). A notification is only a hint;
 * liveness rests on this. Pure.
 */
final class SelfCheck {
    private SelfCheck() {}

    /** The result for a waiter. */
    enum Verdict {
        /** Still waiting, and its entry is in place. */
        WAIT,
        /** It has the lock. */
        GRANTED,
        /** Its entry is missing and must be written again. */
        ENTRY_MISSING,
        /** A reset is under way. */
        RESET,
        /** The epoch is another one: its position is gone. */
        OTHER_EPOCH
    }

    static Verdict judge(RecordLayout layout, long epoch, int index, boolean exclusive, VerbResults record) {
        long header = record.word(0, 0);
        if (LockHeader.epoch(header) != (int) (epoch & LockHeader.EPOCH_MASK)) {
            return Verdict.OTHER_EPOCH;
        }
        if (LockHeader.isInReset(header)) {
            return Verdict.RESET;
        }
        int head = LockHeader.head(header);
        if (exclusive ? head == index : head >= index || everyWriterBehind(layout, epoch, header, index, record)) {
            return Verdict.GRANTED;
        }
        long own = record.word(0, 2 + layout.slot(index));
        return QueueEntry.isValid(own, layout.version(index), epoch) ? Verdict.WAIT : Verdict.ENTRY_MISSING;
    }

    /**
     * Returns whether valid entries behind this waiter's own account for all writers of the header, so that no writer is before it. The
     * entries before it prove nothing: a reader's entry still shows a reader after that reader has upgraded. Only positions taken before
     * the header was read count, so it does not matter whether the READ fetched the header or the entries first.
     */
    private static boolean everyWriterBehind(
            RecordLayout layout, long epoch, long header, int index, VerbResults record) {
        int behind = 0;
        for (int i = index + 1; i < LockHeader.tail(header); i++) {
            long entry = record.word(0, 2 + layout.slot(i));
            if (QueueEntry.isValid(entry, layout.version(i), epoch) && QueueEntry.isExclusive(entry)) {
                behind++;
            }
        }
        return behind >= LockHeader.writers(header);
    }
}
