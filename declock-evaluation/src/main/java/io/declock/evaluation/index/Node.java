// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.evaluation.data.Checksum;

/** The header that leaves and inner nodes begin with. A node has the keys from its low fence up to, and without, its high fence; its sibling's keys begin there. */
final class Node {
    /** The number of the whole node's last change: it grows with each write of all its words. */
    static final int VERSION = 0;

    static final int LEVEL = 1;
    static final int LOW = 2;
    static final int HIGH = 3;
    static final int SIBLING = 4;
    static final int HEADER_WORDS = 5;

    /** The low fence of the first node of a level: below each key. */
    static final long LOWEST = 0;

    /** The high fence of the last node of a level: above each key. */
    static final long HIGHEST = Long.MAX_VALUE;

    private Node() {}

    static void header(long[] words, long version, int level, long low, long high, int sibling) {
        words[VERSION] = version;
        words[LEVEL] = level;
        words[LOW] = low;
        words[HIGH] = high;
        words[SIBLING] = sibling;
    }

    /** Seals words up to, and without, an index: puts into the last word of the node what stands for them. */
    static void seal(long[] words, int until) {
        words[words.length - 1] = Checksum.of(words, 0, until);
    }

    static boolean isSealed(long[] words, int until) {
        return words[VERSION] != 0 && words[words.length - 1] == Checksum.of(words, 0, until);
    }
}
