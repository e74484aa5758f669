// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.data;

/** Mixes words to one that looks random: the same on each machine, for checksums and patterns. Not for secrets. */
public final class Checksum {
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private Checksum() {}

    /** Returns a word that stands for another one; different words have different ones. */
    public static long of(long word) {
        long mixed = word + GOLDEN;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ mixed >>> 31;
    }

    /** Returns a word that stands for two, in this order. */
    public static long of(long first, long second) {
        return of(of(first) ^ second);
    }

    /**
     * Returns a word that stands for a part of an array.
     *
     * @param from index of the first word
     * @param until index behind the last word
     */
    public static long of(long[] words, int from, int until) {
        long mixed = (long) until - from;
        for (int i = from; i < until; i++) {
            mixed = of(mixed, words[i]);
        }
        return mixed;
    }
}
