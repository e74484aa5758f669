// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.dslr;

/** The word of a DSLR lock: tickets served and drawn. */
final class Tickets {
    static final long ONE_SHARED_DRAWN = 1;
    static final long ONE_EXCLUSIVE_DRAWN = 1L << 16;
    static final long ONE_SHARED_SERVED = 1L << 32;
    static final long ONE_EXCLUSIVE_SERVED = 1L << 48;
    private static final int MASK = 0xFFFF;

    private Tickets() {}

    static long of(int exclusiveServed, int sharedServed, int exclusiveDrawn, int sharedDrawn) {
        return (long) exclusiveServed << 48 | (long) sharedServed << 32 | (long) exclusiveDrawn << 16 | sharedDrawn;
    }

    /** Returns {@code nX}. */
    static int exclusiveServed(long word) {
        return (int) (word >>> 48);
    }

    /** Returns {@code nS}. */
    static int sharedServed(long word) {
        return (int) (word >>> 32) & MASK;
    }

    /** Returns {@code maxX}. */
    static int exclusiveDrawn(long word) {
        return (int) (word >>> 16) & MASK;
    }

    /** Returns {@code maxS}. */
    static int sharedDrawn(long word) {
        return (int) word & MASK;
    }

    /** Returns the word with other tickets served. */
    static long withServed(long word, int exclusive, int shared) {
        return of(exclusive, shared, exclusiveDrawn(word), sharedDrawn(word));
    }

    /** Returns whether every ticket that was drawn has been served. */
    static boolean areAllServed(long word) {
        return word >>> 32 == (word & 0xFFFF_FFFFL);
    }

    /** Returns whether the same tickets are served. */
    static boolean isServedAlike(long word, long other) {
        return (word ^ other) >>> 32 == 0;
    }
}
