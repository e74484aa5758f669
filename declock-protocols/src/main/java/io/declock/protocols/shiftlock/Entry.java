// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.shiftlock;

/**
 * The two words of a ShiftLock: in the first one, from the highest bit, {@code Epoch} (1 bit), {@code RdrCnt} (23 bits) and {@code TailPtr} (40 bits: the number of the
 * last writer in the queue plus one, zero if there is none); the second one is {@code RelCnt}. And the operands of the verbs that change them.
 */
final class Entry {
    static final int WORDS = 2;
    static final long EPOCH = 1L << 63;
    private static final int READERS_SHIFT = 40;
    private static final long ONE_READER = 1L << READERS_SHIFT;
    private static final long TAIL = ONE_READER - 1;
    private static final long READERS = ~EPOCH & ~TAIL;
    /** The highest bit of each field of the first word. */
    private static final long FIELDS = EPOCH | EPOCH >>> 1 | ONE_READER >>> 1;
    /** What a recovery adds to {@code RelCnt}. */
    private static final long LEAP = 1L << 63;

    private static final long HALF_A_LEAP = LEAP >>> 1;

    private static final long ALL = -1;

    private Entry() {}

    static long tail(long word) {
        return word & TAIL;
    }

    static long readers(long word) {
        return (word & READERS) >>> READERS_SHIFT;
    }

    static long epoch(long word) {
        return word & EPOCH;
    }

    static long pointerTo(int client) {
        return client + 1L;
    }

    static int clientAt(long tail) {
        return (int) (tail - 1);
    }

    /** Returns whether the lock was recovered between two values of {@code RelCnt}: no number of releases comes near such a difference. */
    static boolean isLeap(long before, long after) {
        return after - before + HALF_A_LEAP < 0;
    }

    // ---------------------------------------------------------------- operands of a masked fetch-and-add

    static long[] oneReaderMore() {
        return new long[] {ONE_READER, 0, FIELDS, 0};
    }

    static long[] oneReaderLessAndOneRelease() {
        return new long[] {-ONE_READER & READERS, 1, FIELDS, 0};
    }

    static long[] oneRelease() {
        return new long[] {0, 1, FIELDS, 0};
    }

    static long[] otherEpochAndOneRelease() {
        return new long[] {EPOCH, 1, FIELDS, 0};
    }

    // ---------------------------------------------------------------- operands of a masked compare-and-swap

    static long[] lastWriter(int client) {
        return new long[] {0, 0, 0, 0, pointerTo(client), 0, TAIL, 0};
    }

    /** The last writer leaves; nothing changes if another one is the last. */
    static long[] noWriter(int last, long epoch, long releases) {
        return new long[] {pointerTo(last), 0, TAIL, 0, epoch, releases, TAIL | EPOCH, ALL};
    }

    static long[] recovered(long releases) {
        return new long[] {0, releases, 0, ALL, 0, releases + LEAP, ALL, ALL};
    }
}
