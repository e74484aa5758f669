// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

/**
 * A queue entry: one aligned 64-bit word that only waiters write, so that a READ of several words may see a mix of old and new entries but
 * never a part of one.
 *
 * <pre>
 *  63   62       51 50    45 44               27 26   23 22              0
 * +----+-----------+--------+-------------------+-------+-----------------+
 * |mode| node id 12| incn 6 |    version 18     | epoch4|  timestamp 23   |
 * +----+-----------+--------+-------------------+-------+-----------------+
 * </pre>
 *
 * <p>An entry is valid for an index only if its version is {@code index div capacity} and its epoch bits are those of the
 * record's epoch. Initialised memory is all ones: a version that no index has.
 */
public final class QueueEntry {
    /** Bits of the version. */
    public static final int VERSION_BITS = 18;
    /** Bits of the timestamp. */
    public static final int TIMESTAMP_BITS = 23;

    private static final int EPOCH_BITS = 4;
    private static final int INCARNATION_BITS = 6;
    private static final int NODE_BITS = 12;

    private static final int EPOCH_SHIFT = TIMESTAMP_BITS;
    private static final int VERSION_SHIFT = EPOCH_SHIFT + EPOCH_BITS;
    private static final int INCARNATION_SHIFT = VERSION_SHIFT + VERSION_BITS;
    private static final int NODE_SHIFT = INCARNATION_SHIFT + INCARNATION_BITS;
    private static final int MODE_SHIFT = NODE_SHIFT + NODE_BITS;

    private static final int TIMESTAMP_MASK = (1 << TIMESTAMP_BITS) - 1;
    private static final int EPOCH_MASK = (1 << EPOCH_BITS) - 1;
    private static final int VERSION_MASK = (1 << VERSION_BITS) - 1;
    private static final int INCARNATION_MASK = (1 << INCARNATION_BITS) - 1;
    private static final int NODE_MASK = (1 << NODE_BITS) - 1;

    /** In place of a timestamp: the entry is the mark of a position that holds and is kept (rule K1). */
    public static final int KEPT = TIMESTAMP_MASK;

    /** Largest node id; 0 is none. It bounds the compute nodes of a memory node. */
    public static final int MAX_NODE_ID = NODE_MASK;

    /** The value of an entry before any waiter has written it. Zeroed memory is not initialised. */
    public static final long INITIAL = -1L;
    /** No entries. */
    public static final long[] NONE = {};
    /** A version no index has, because the head is kept below {@link RecordLayout#indexLimit()}. */
    public static final int INITIAL_VERSION = VERSION_MASK;

    static {
        if (MODE_SHIFT != Long.SIZE - 1) {
            throw new AssertionError("the entry's fields must fill one word");
        }
    }

    private QueueEntry() {}

    /** Packs an entry; incarnation, epoch and timestamp are cut to their low bits. */
    public static long pack(boolean exclusive, int nodeId, int incarnation, int version, long epoch, int timestamp) {
        return (exclusive ? 1L : 0L) << MODE_SHIFT
                | (long) (nodeId & NODE_MASK) << NODE_SHIFT
                | (long) (incarnation & INCARNATION_MASK) << INCARNATION_SHIFT
                | (long) (version & VERSION_MASK) << VERSION_SHIFT
                | (epoch & EPOCH_MASK) << EPOCH_SHIFT
                | timestamp & TIMESTAMP_MASK;
    }

    /** Returns whether the waiter wants the lock exclusively. */
    public static boolean isExclusive(long entry) {
        return entry < 0;
    }

    /** Returns the waiter's node id. */
    public static int nodeId(long entry) {
        return (int) (entry >>> NODE_SHIFT) & NODE_MASK;
    }

    /** Returns the low bits of the waiter's incarnation. */
    public static int incarnation(long entry) {
        return (int) (entry >>> INCARNATION_SHIFT) & INCARNATION_MASK;
    }

    /** Returns the version. */
    public static int version(long entry) {
        return (int) (entry >>> VERSION_SHIFT) & VERSION_MASK;
    }

    /** Returns the waiter's timestamp, see {@link Timestamp}. */
    public static int timestamp(long entry) {
        return (int) entry & TIMESTAMP_MASK;
    }

    /** Returns whether the entry was written for the index with this version in this epoch. */
    public static boolean isValid(long entry, int version, long epoch) {
        return version(entry) == version && version != INITIAL_VERSION && epochBits(entry) == (epoch & EPOCH_MASK);
    }

    /** Returns whether the entry was written in this epoch for a later index of the same slot. */
    public static boolean isNewer(long entry, int version, long epoch) {
        return version(entry) != INITIAL_VERSION
                && epochBits(entry) == (epoch & EPOCH_MASK)
                && version(entry) > version;
    }

    /**
     * Returns whether the entry is the mark of a position that is kept in this epoch. Its version does not count: a position that renews its
     * tokens goes on to a later index of the same slot. The mark of a position that was given back since costs a message that is ignored.
     */
    public static boolean isKept(long entry, long epoch) {
        return isMark(entry) && version(entry) != INITIAL_VERSION && epochBits(entry) == (epoch & EPOCH_MASK);
    }

    /** Returns whether a valid entry is the mark of a position that is kept, not a waiter's. */
    public static boolean isMark(long entry) {
        return timestamp(entry) == KEPT;
    }

    /** Returns whether two incarnations have the same low bits. */
    public static boolean sameIncarnation(long entry, int incarnation) {
        return incarnation(entry) == (incarnation & INCARNATION_MASK);
    }

    private static int epochBits(long entry) {
        return (int) (entry >>> EPOCH_SHIFT) & EPOCH_MASK;
    }

    /** Shows every field. */
    public static String toString(long entry) {
        return entry == INITIAL
                ? "empty"
                : (isExclusive(entry) ? "writer " : "reader ") + nodeId(entry) + "." + incarnation(entry) + " version "
                        + version(entry) + " epoch " + epochBits(entry) + " at " + timestamp(entry);
    }
}
