// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.evaluation.data.Checksum;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A leaf as it was read: entries in any order, each with a seal of its own, so that a change of one entry writes that entry only. The seal of an entry stands for its key, its value and the version of the
 * leaf; the seal in the leaf's last word stands for the header. So a reader sees an entry of another version of the leaf, or parts of two entries, whatever the order in which the words were read and written. Not thread-safe.
 */
final class Leaf {
    static final int ENTRY_WORDS = 3;

    /** The key of a free slot. */
    static final long FREE = 0;

    /** Where no slot is. */
    static final int NONE = -1;

    private static final int KEY = 0;
    private static final int VALUE = 1;
    private static final int SEAL = 2;

    private final long[] words;

    Leaf(long[] words) {
        this.words = words;
    }

    /** Makes a leaf with entries. */
    static Leaf of(TreeLayout layout, long version, long low, long high, int sibling, Map<Long, Long> entries) {
        Leaf leaf = new Leaf(new long[layout.nodeWords()]);
        Node.header(leaf.words, version, 0, low, high, sibling);
        Node.seal(leaf.words, Node.HEADER_WORDS);
        int slot = 0;
        for (Map.Entry<Long, Long> entry : entries.entrySet()) {
            leaf.put(slot++, entry.getKey(), entry.getValue());
        }
        while (slot < leaf.slots()) {
            leaf.put(slot++, FREE, 0);
        }
        return leaf;
    }

    long[] words() {
        return words;
    }

    long version() {
        return words[Node.VERSION];
    }

    long low() {
        return words[Node.LOW];
    }

    long high() {
        return words[Node.HIGH];
    }

    int sibling() {
        return (int) words[Node.SIBLING];
    }

    int slots() {
        return (words.length - Node.HEADER_WORDS - 1) / ENTRY_WORDS;
    }

    static int word(int slot) {
        return Node.HEADER_WORDS + slot * ENTRY_WORDS;
    }

    long key(int slot) {
        return words[word(slot) + KEY];
    }

    long value(int slot) {
        return words[word(slot) + VALUE];
    }

    private void put(int slot, long key, long value) {
        words[word(slot) + KEY] = key;
        words[word(slot) + VALUE] = value;
        words[word(slot) + SEAL] = seal(key, value);
    }

    private long seal(long key, long value) {
        return Checksum.of(version(), Checksum.of(key, value));
    }

    /** Returns the words of an entry, to be written at {@link #word}. */
    long[] entry(long key, long value) {
        return new long[] {key, value, seal(key, value)};
    }

    /** Returns whether the header is what one writer has written. */
    boolean isHeaderIntact() {
        return Node.isSealed(words, Node.HEADER_WORDS);
    }

    boolean isIntact(int slot) {
        return words[word(slot) + SEAL] == seal(key(slot), value(slot));
    }

    /** Returns whether header and entries are what writers have written while the header did not change. */
    boolean isIntact() {
        for (int slot = 0; slot < slots(); slot++) {
            if (!isIntact(slot)) {
                return false;
            }
        }
        return isHeaderIntact();
    }

    /** Returns the slot with a key ({@link #FREE} for a free one), or {@link #NONE}. */
    int find(long key) {
        for (int slot = 0; slot < slots(); slot++) {
            if (key(slot) == key && isIntact(slot)) {
                return slot;
            }
        }
        return NONE;
    }

    /** Returns how many slots have entries. */
    int taken() {
        int taken = 0;
        for (int slot = 0; slot < slots(); slot++) {
            taken += key(slot) == FREE ? 0 : 1;
        }
        return taken;
    }

    /** Returns the entries by key. */
    SortedMap<Long, Long> entries() {
        SortedMap<Long, Long> entries = new TreeMap<>();
        for (int slot = 0; slot < slots(); slot++) {
            if (key(slot) != FREE) {
                entries.put(key(slot), value(slot));
            }
        }
        return entries;
    }

    @Override
    public String toString() {
        return "leaf " + Arrays.toString(words);
    }
}
