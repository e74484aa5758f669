// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

/**
 * The lock header: one 64-bit word that is only ever changed by atomics after it was initialised.
 *
 * <pre>
 *  63        50 49                       26 25     17 16      8 7       0
 * +------------+---------------------------+---------+---------+---------+
 * |  epoch 14  |         qhead 24          | qsize 9 | wcnt 9  | reset 8 |
 * +------------+---------------------------+---------+---------+---------+
 * </pre>
 *
 * <p>{@code qhead} counts releases and {@code qhead + qsize} counts acquisitions, so each workflow is one addition. {@code qsize} and
 * {@code wcnt} are bounded by twice the largest capacity and never carry; {@code qhead} is kept below {@link RecordLayout#indexLimit()} by
 * resets. The paper (section 4.1) has no epoch here; with it every FAA shows the epoch to which its position belongs.
 */
public final class LockHeader {
    /** Bits of the reset id. */
    public static final int RESET_BITS = 8;
    /** Bits of the writer count. */
    public static final int WRITERS_BITS = 9;
    /** Bits of the queue size. */
    public static final int SIZE_BITS = 9;
    /** Bits of the queue head. */
    public static final int HEAD_BITS = 24;
    /** Bits of the epoch in the header. */
    public static final int EPOCH_BITS = 14;

    private static final int WRITERS_SHIFT = RESET_BITS;
    private static final int SIZE_SHIFT = WRITERS_SHIFT + WRITERS_BITS;
    private static final int HEAD_SHIFT = SIZE_SHIFT + SIZE_BITS;
    private static final int EPOCH_SHIFT = HEAD_SHIFT + HEAD_BITS;

    private static final long RESET_MASK = (1L << RESET_BITS) - 1;
    private static final int WRITERS_MASK = (1 << WRITERS_BITS) - 1;
    private static final int SIZE_MASK = (1 << SIZE_BITS) - 1;
    private static final int HEAD_MASK = (1 << HEAD_BITS) - 1;
    /** Mask of the epoch bits that the header carries. */
    public static final int EPOCH_MASK = (1 << EPOCH_BITS) - 1;

    /** Largest node id, because it must fit the reset id and 0 means no reset. */
    public static final int MAX_NODE_ID = (int) RESET_MASK;
    /** Number of values a queue head can take. */
    public static final int HEAD_RANGE = 1 << HEAD_BITS;

    private static final long ONE_WRITER = 1L << WRITERS_SHIFT;
    private static final long ONE_ENTRY = 1L << SIZE_SHIFT;
    private static final long ONE_HEAD = 1L << HEAD_SHIFT;

    static {
        if (EPOCH_SHIFT + EPOCH_BITS != Long.SIZE) {
            throw new AssertionError("the header's fields must fill one word");
        }
    }

    private LockHeader() {}

    /** Packs a header. The epoch may be a full one; its low bits are taken. */
    public static long pack(long epoch, int head, int size, int writers, int resetId) {
        return (epoch & EPOCH_MASK) << EPOCH_SHIFT
                | (long) (head & HEAD_MASK) << HEAD_SHIFT
                | (long) (size & SIZE_MASK) << SIZE_SHIFT
                | (long) (writers & WRITERS_MASK) << WRITERS_SHIFT
                | resetId & RESET_MASK;
    }

    /** Returns the low bits of the full epoch. */
    public static int epoch(long header) {
        return (int) (header >>> EPOCH_SHIFT);
    }

    /**
     * Returns the full epoch that a header and an epoch word show together. The epoch word is written before the header, so it may be one
     * ahead of the header's epoch.
     */
    public static long fullEpoch(long header, long epochWord) {
        boolean same = (epochWord & EPOCH_MASK) == epoch(header);
        return same ? epochWord : epochWord - 1;
    }

    /** Returns the queue head: how many positions were released in this epoch. */
    public static int head(long header) {
        return (int) (header >>> HEAD_SHIFT) & HEAD_MASK;
    }

    /** Returns how many positions are taken, holders and waiters together. */
    public static int size(long header) {
        return (int) (header >>> SIZE_SHIFT) & SIZE_MASK;
    }

    /** Returns how many of the positions are exclusive. */
    public static int writers(long header) {
        return (int) (header >>> WRITERS_SHIFT) & WRITERS_MASK;
    }

    /** Returns the node id of the initiator of the reset under way, 0 for none. */
    public static int resetId(long header) {
        return (int) (header & RESET_MASK);
    }

    /** Returns the header with another reset id. */
    public static long withResetId(long header, int resetId) {
        return header & ~RESET_MASK | resetId & RESET_MASK;
    }

    /** Returns the index after the last one taken. */
    public static int tail(long header) {
        return head(header) + size(header);
    }

    /** Returns the addend that takes a position at the tail. */
    public static long acquire(boolean exclusive) {
        return ONE_ENTRY + (exclusive ? ONE_WRITER : 0);
    }

    /** Returns the addend that gives back the position at the head. */
    public static long release(boolean exclusive) {
        return ONE_HEAD - ONE_ENTRY - (exclusive ? ONE_WRITER : 0);
    }

    /** Returns the addend that gives one position back and takes one at the tail at the same instant. */
    public static long requeue(boolean wasExclusive, boolean exclusive) {
        return release(wasExclusive) + acquire(exclusive);
    }

    /** Returns the addend that turns an exclusive position into a shared one. */
    public static long downgrade() {
        return -ONE_WRITER;
    }

    /** Returns whether a position taken now, with this header found, is granted at once. */
    public static boolean grants(long found, boolean exclusive) {
        return exclusive ? size(found) == 0 : writers(found) == 0;
    }

    /** Shows every field. */
    public static String toString(long header) {
        return "epoch " + epoch(header) + " head " + head(header) + " size " + size(header) + " writers "
                + writers(header) + " reset " + resetId(header);
    }
}
