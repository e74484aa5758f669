// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

/**
 * The layout of a lock record's words: header, full epoch, {@code capacity} entries, the {@link ResetClaim} and the readers' mark, aligned to a cache
 * line.
 *
 * @param capacity entries per queue, a power of two from 2 to 256
 */
public record RecordLayout(int capacity) {
    /** Largest capacity. */
    public static final int MAX_CAPACITY = 256;
    /** Capacity unless configured otherwise. */
    public static final int DEFAULT_CAPACITY = 64;
    /** Records start at multiples of this many bytes. */
    public static final int ALIGNMENT_BYTES = 64;

    /** Distance from the end of the index range at which a lock needs a reset, so that no FAA in flight can carry beyond the range. */
    public static final int GUARD = 1 << 14;

    static {
        if (GUARD < 4 * QueueEntry.MAX_NODE_ID) {
            throw new AssertionError("the guard must have room for two FAAs of each compute node beyond the wall");
        }
    }

    /** Checks the capacity. */
    public RecordLayout {
        if (capacity < 2 || capacity > MAX_CAPACITY || Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException(
                    "queue capacity must be a power of two from 2 to " + MAX_CAPACITY + ", not " + capacity);
        }
    }

    /** Returns the number of words that a READ of the header and the whole queue fetches. */
    public int words() {
        return 2 + capacity;
    }

    /** Returns the bytes from one record to the next. */
    public int strideBytes() {
        return ((words() + 2) * Long.BYTES + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    }

    /** Returns the address of the header. */
    public long header(long record) {
        return record;
    }

    /** Returns the address of the full epoch, a 32-bit number in a 64-bit word that never restarts. */
    public long epoch(long record) {
        return record + Long.BYTES;
    }

    /** Returns the address of the first entry. */
    public long entries(long record) {
        return record + 2L * Long.BYTES;
    }

    /** Returns the address of the entry of an index. */
    public long entry(long record, int index) {
        return entries(record) + (long) slot(index) * Long.BYTES;
    }

    /** Returns the address of the {@link ResetClaim}, behind the words that a READ of the queue fetches. */
    public long claim(long record) {
        return record + (long) words() * Long.BYTES;
    }

    /**
     * Returns the address of the readers' mark: not zero if compute nodes may keep shared positions (rule K7 of docs/protocol.md). It is not in an
     * entry, because the head moves past shared positions that still hold, and their slots belong to others then.
     */
    public long readersMark(long record) {
        return claim(record) + Long.BYTES;
    }

    /** Returns the slot of an index. */
    public int slot(int index) {
        return index & capacity - 1;
    }

    /** Returns the version of an index: how many rounds of the queue precede it. */
    public int version(int index) {
        return index >>> Integer.numberOfTrailingZeros(capacity);
    }

    /**
     * Returns the tail from which on no compute node takes a position before the lock was reset. A reset must change the header between two
     * changes of other compute nodes, which may never succeed while positions are taken and given back at a high rate. Every compute node
     * may have one FAA in flight when it learns of the wall, so there is room for twice the largest number of compute nodes.
     */
    public int wall() {
        return indexLimit() + GUARD / 2;
    }

    /** Returns the head from which on a lock must be reset before it goes on (rule B13 of docs/protocol.md). */
    public int indexLimit() {
        long byVersion = (long) QueueEntry.INITIAL_VERSION * capacity;
        return (int) Math.min(LockHeader.HEAD_RANGE, byVersion) - GUARD;
    }
}
