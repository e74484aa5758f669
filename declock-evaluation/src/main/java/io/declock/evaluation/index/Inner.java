// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import java.util.Arrays;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An inner node as it was read: which child has the keys from which one on, the first child from the node's low fence on. It is always written as a whole, and the seal in its last word stands for all of it.
 * Immutable.
 */
final class Inner {
    static final int COUNT = Node.HEADER_WORDS;
    static final int ENTRIES = COUNT + 1;
    static final int ENTRY_WORDS = 2;

    private final long[] words;

    private Inner(long[] words) {
        this.words = words;
    }

    /** Returns the inner node with these words, or null if they are not what one writer has written. */
    static @Nullable Inner read(long[] words) {
        return Node.isSealed(words, words.length - 1) ? new Inner(words) : null;
    }

    /**
     * Makes an inner node.
     *
     * @param children the children by their first keys, of which the first one is the low fence
     */
    static Inner of(
            TreeLayout layout, long version, int level, long high, int sibling, SortedMap<Long, Integer> children) {
        long[] words = new long[layout.nodeWords()];
        Node.header(words, version, level, children.firstKey(), high, sibling);
        words[COUNT] = children.size();
        int at = ENTRIES;
        for (var child : children.entrySet()) {
            words[at++] = child.getKey();
            words[at++] = child.getValue();
        }
        Node.seal(words, words.length - 1);
        return new Inner(words);
    }

    long[] words() {
        return words;
    }

    long version() {
        return words[Node.VERSION];
    }

    int level() {
        return (int) words[Node.LEVEL];
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

    private int count() {
        return (int) words[COUNT];
    }

    private long key(int i) {
        return words[ENTRIES + i * ENTRY_WORDS];
    }

    private int child(int i) {
        return (int) words[ENTRIES + i * ENTRY_WORDS + 1];
    }

    /** Returns the child with a key that is not below the low fence. */
    int child(long key) {
        int low = 0;
        int high = count() - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (key(middle) <= key) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return child(low);
    }

    /** Returns the children by their first keys. */
    SortedMap<Long, Integer> children() {
        SortedMap<Long, Integer> children = new TreeMap<>();
        for (int i = 0; i < count(); i++) {
            children.put(key(i), child(i));
        }
        return children;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Inner that && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
        return Objects.hash(version(), low(), high());
    }
}
