// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.layout.Timestamp;
import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import io.declock.spi.VerbResults;
import org.jspecify.annotations.Nullable;

/**
 * Decides which positions are granted the lock, from the header that a release FAA returned and from a READ of the queue (DecLock, section
 * 4.2, workflows 3 to 5, and 4.3; rules A1, A2, A3, A7 of docs/protocol.md).
 *
 * <ol>
 *   <li>The successor is returned head + 1, never the releaser's own index + 1.
 * <li>A releasing writer grants the adjacent readers, or the one writer, that follow; it READs again until their entries are filled.
 * <li>A releasing reader grants the successor only if that is a writer and every position before it has been released.
 * </ol>
 *
 * <p>Pure: no I/O, no time. Not thread-safe.
 */
final class HandOver {
    private final RecordLayout layout;
    private final long epoch;
    private final int head;
    private final int end;
    private final int writers;
    private final boolean exclusive;
    private final boolean grantsReaders;
    private final boolean mayGrantWriter;
    private int cursor;
    private boolean readerGranted;
    private @Nullable GrantedValue value;
    /** Whether a writer may have had the lock between the giver and the position at the cursor. */
    private boolean writerBetween;

    /** The next step after an evaluation. */
    enum Step {
        /** Every position that is to be granted was granted. */
        DONE,
        /** Read the record again, from the header on, and evaluate once more. */
        REFETCH
    }

    /** Receives the positions to grant. */
    interface Notifier {
        void grant(int index, long entry, VerbResults queue, int verb);
    }

    private HandOver(
            RecordLayout layout,
            long epoch,
            long found,
            int ownIndex,
            int first,
            boolean exclusive,
            boolean mayGrantWriter) {
        this.layout = layout;
        this.epoch = epoch;
        this.head = LockHeader.head(found);
        this.end = LockHeader.tail(found);
        this.writers = LockHeader.writers(found);
        this.exclusive = exclusive;
        this.grantsReaders = exclusive || isCrowded(layout, found);
        this.mayGrantWriter = mayGrantWriter;
        this.cursor = first;
        // Those that a writer granted beforehand may have had the lock and left it; all that share it with a reader are
        // readers.
        this.writerBetween = exclusive && first != ownIndex + 1;
    }

    /**
     * Returns the hand-over of a release.
     *
     * @param found the header its FAA returned
     * @param ownIndex index of the position that was released
     * @param exclusive mode of that position
     * @return null if this release has no duty to grant: there is no successor, or a later FAA has the duty
     */
    static @Nullable HandOver afterRelease(
            RecordLayout layout, long epoch, long found, int ownIndex, boolean exclusive) {
        int head = LockHeader.head(found);
        boolean duty = exclusive || head >= ownIndex;
        return duty && LockHeader.size(found) > 1
                ? new HandOver(layout, epoch, found, ownIndex, head + 1, exclusive, true)
                : null;
    }

    /** Returns the hand-over of a downgrade, which grants only the readers directly behind; null if there is no position behind. */
    static @Nullable HandOver afterDowngrade(RecordLayout layout, long epoch, long found, int ownIndex) {
        return LockHeader.size(found) > 1
                ? new HandOver(layout, epoch, found, ownIndex, ownIndex + 1, true, false)
                : null;
    }

    /** Returns a view of the queue behind a position, without a release or grants. */
    static HandOver behind(RecordLayout layout, long epoch, long header, int ownIndex, boolean exclusive) {
        return new HandOver(layout, epoch, header, ownIndex, ownIndex + 1, exclusive, false);
    }

    /** Returns this hand-over, with what the giver knew of the lock's value when it held the lock, or null. */
    HandOver telling(@Nullable GrantedValue known) {
        value = known;
        return this;
    }

    /** Returns what the grant that is made now may tell of the lock's value, or null: a writer between may have stored another one (rule V5). */
    @Nullable
    GrantedValue valueToTell() {
        return hadWriterBetween() ? null : value;
    }

    private boolean hadWriterBetween() {
        return writerBetween;
    }

    /** Returns the epoch whose positions are granted. */
    long epoch() {
        return epoch;
    }

    /**
     * Evaluates one READ of the whole record. Each position is granted once, however often this method is called.
     *
     * @param verb number of the READ in its chain; its words start with the header
     * @param refetched whether the READ was made after the chain of the FAA, so that its header may be newer
     */
    Step evaluate(VerbResults queue, int verb, boolean refetched, Notifier notifier) {
        if (refetched && overtaken(queue.word(verb, 0))) {
            return Step.DONE;
        }
        return grantsReaders ? grantFollowers(queue, verb, notifier) : grantWriter(queue, verb, notifier);
    }

    /**
     * Returns whether there are more positions than slots. Then the writer that let readers in could not see all of them, because some had no
     * entry yet; so a releasing reader that has the duty to notify grants the readers that follow, too.
     */
    private static boolean isCrowded(RecordLayout layout, long found) {
        return LockHeader.size(found) > layout.capacity();
    }

    private boolean overtaken(long header) {
        return LockHeader.epoch(header) != (int) (epoch & LockHeader.EPOCH_MASK)
                || LockHeader.isInReset(header)
                || !exclusive && LockHeader.head(header) > head + 1;
    }

    private Step grantFollowers(VerbResults queue, int verb, Notifier notifier) {
        for (; cursor < end; cursor++) {
            long entry = entry(queue, verb, cursor);
            int version = layout.version(cursor);
            if (QueueEntry.isValid(entry, version, epoch)) {
                if (QueueEntry.isExclusive(entry)) {
                    if (mayGrantWriter && !readerGranted && !QueueEntry.isMark(entry)) {
                        notifier.grant(cursor, entry, queue, verb);
                    }
                    return Step.DONE;
                }
                readerGranted = true;
                notifier.grant(cursor, entry, queue, verb);
            } else if (QueueEntry.isNewer(entry, version, epoch)) {
                // That position has had the lock and left it.
                writerBetween = true;
            } else {
                return hasSlot(cursor, queue.word(verb, 0)) ? Step.REFETCH : Step.DONE;
            }
        }
        return Step.DONE;
    }

    /** Returns whether a waiter may have its entry in the queue: one without a slot finds its grant by its self-check (rule A9). */
    private boolean hasSlot(int index, long header) {
        return index - LockHeader.head(header) < layout.capacity();
    }

    private Step grantWriter(VerbResults queue, int verb, Notifier notifier) {
        int successor = head + 1;
        long next = entry(queue, verb, successor);
        if (QueueEntry.isValid(next, layout.version(successor), epoch)) {
            // A mark shows that the position holds already.
            if (QueueEntry.isExclusive(next) && !QueueEntry.isMark(next)) {
                notifier.grant(successor, next, queue, verb);
            }
            return Step.DONE;
        }
        int found = 0;
        for (int index = successor; index < end; index++) {
            long entry = entry(queue, verb, index);
            int version = layout.version(index);
            if (QueueEntry.isNewer(entry, version, epoch)) {
                return Step.DONE;
            }
            if (QueueEntry.isValid(entry, version, epoch) && QueueEntry.isExclusive(entry)) {
                found++;
            }
        }
        return found >= writers ? Step.DONE : Step.REFETCH;
    }

    /** Returns the entries from an index on, up to the first unfilled one, for use in a grant. */
    long[] followers(int from, VerbResults queue, int verb) {
        int count = 0;
        while (count < PeerMessage.MAX_ENTRIES
                && from + count < end
                && QueueEntry.isValid(entry(queue, verb, from + count), layout.version(from + count), epoch)) {
            count++;
        }
        long[] entries = count == 0 ? QueueEntry.NONE : new long[count];
        for (int i = 0; i < count; i++) {
            entries[i] = entry(queue, verb, from + i);
        }
        return entries;
    }

    /** Returns the earliest timestamp of the filled entries from an index on, or -1 for none (rule E4: none is distinct from zero). */
    int earliest(int from, boolean ofWriters, VerbResults queue, int verb) {
        int earliest = -1;
        for (int i = from; i < end; i++) {
            long entry = entry(queue, verb, i);
            if (QueueEntry.isValid(entry, layout.version(i), epoch)
                    && !QueueEntry.isMark(entry)
                    && (!ofWriters || QueueEntry.isExclusive(entry))) {
                earliest = Timestamp.earlier(earliest, QueueEntry.timestamp(entry));
            }
        }
        return earliest;
    }

    /**
     * Returns whether a READ shows the entry of every other waiter: the node that handed the lock to a writer has released its position (so
     * a new position of it is visible, too), and every relevant entry behind is filled.
     */
    boolean showsAll(int ownIndex, VerbResults queue, int verb) {
        if (exclusive && head != ownIndex) {
            return false;
        }
        int filled = 0;
        int filledWriters = 0;
        for (int i = ownIndex + 1; i < end; i++) {
            long entry = entry(queue, verb, i);
            if (QueueEntry.isValid(entry, layout.version(i), epoch)) {
                filled++;
                filledWriters += QueueEntry.isExclusive(entry) ? 1 : 0;
            }
        }
        return exclusive ? filled == end - ownIndex - 1 : filledWriters >= writers;
    }

    private long entry(VerbResults queue, int verb, int index) {
        return queue.word(verb, 2 + layout.slot(index));
    }
}
