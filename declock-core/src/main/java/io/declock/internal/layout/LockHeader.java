// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

/**
 * The lock header: one 64-bit word that is only ever changed by atomics after it was initialised.
 *
 * <pre>
 *  63        51 50                       27 26      14 13       1    0
 * +------------+---------------------------+----------+----------+-------+
 * |  epoch 13  |         qhead 24          | qsize 13 | wcnt 13  | reset |
 * +------------+---------------------------+----------+----------+-------+
 * </pre>
 *
 * <p>{@code qhead} counts releases and {@code qhead + qsize} counts acquisitions, so each workflow is one addition. {@code qsize} and
 * {@code wcnt} have room for twice the largest number of compute nodes and never carry: a living compute node has one position at most, and
 * positions that dead ones left behind are cleared by a reset before they fill the rest ({@link #isOverfull}). {@code qhead} is kept below
 * {@link RecordLayout#indexLimit()} by resets. The paper (section 4.1) has no epoch here; with it every FAA shows the epoch to which its
 * position belongs. Which compute node resets the lock is in a word of its own ({@link ResetClaim}).
 */
public final class LockHeader {
    /** Bits of the writer count. */
    public static final int WRITERS_BITS = 13;
    /** Bits of the queue size. */
    public static final int SIZE_BITS = 13;
    /** Bits of the queue head. */
    public static final int HEAD_BITS = 24;
    /** Bits of the epoch in the header. */
    public static final int EPOCH_BITS = 13;

    private static final int WRITERS_SHIFT = 1;
    private static final int SIZE_SHIFT = WRITERS_SHIFT + WRITERS_BITS;
    private static final int HEAD_SHIFT = SIZE_SHIFT + SIZE_BITS;
    private static final int EPOCH_SHIFT = HEAD_SHIFT + HEAD_BITS;

    private static final long RESET = 1;
    private static final int WRITERS_MASK = (1 << WRITERS_BITS) - 1;
    private static final int SIZE_MASK = (1 << SIZE_BITS) - 1;
    private static final int HEAD_MASK = (1 << HEAD_BITS) - 1;
    /** Mask of the epoch bits that the header carries. */
    public static final int EPOCH_MASK = (1 << EPOCH_BITS) - 1;

    /** Number of values a queue head can take. */
    public static final int HEAD_RANGE = 1 << HEAD_BITS;

    private static final long ONE_WRITER = 1L << WRITERS_SHIFT;
    private static final long ONE_ENTRY = 1L << SIZE_SHIFT;
    private static final long ONE_HEAD = 1L << HEAD_SHIFT;

    static {
        if (EPOCH_SHIFT + EPOCH_BITS != Long.SIZE) {
            throw new AssertionError("the header's fields must fill one word");
        }
        if (2 * QueueEntry.MAX_NODE_ID > SIZE_MASK) {
            throw new AssertionError("the queue size must have room for twice the largest number of compute nodes");
        }
    }

    private LockHeader() {}

    /** Packs the header of a lock that is not being reset. The epoch may be a full one; its low bits are taken. */
    public static long pack(long epoch, int head, int size, int writers) {
        return (epoch & EPOCH_MASK) << EPOCH_SHIFT
                | (long) (head & HEAD_MASK) << HEAD_SHIFT
                | (long) (size & SIZE_MASK) << SIZE_SHIFT
                | (long) (writers & WRITERS_MASK) << WRITERS_SHIFT;
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

    /** Returns whether a reset is under way. */
    public static boolean isInReset(long header) {
        return (header & RESET) != 0;
    }

    /** Returns the header of the same lock in a reset. */
    public static long inReset(long header) {
        return header | RESET;
    }

    /** Returns whether more positions are taken than there can be compute nodes, so that dead ones have left some behind. */
    public static boolean isOverfull(long header) {
        return size(header) > QueueEntry.MAX_NODE_ID;
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
                + writers(header) + (isInReset(header) ? " in reset" : "");
    }
}
