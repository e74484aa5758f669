// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Checks a tree at rest: seals, levels, fences, siblings, entries. Not thread-safe. */
public final class TreeCheck {
    private final TreeLayout layout;
    private final LongUnaryOperator word;

    private TreeCheck(TreeLayout layout, LongUnaryOperator word) {
        this.layout = layout;
        this.word = word;
    }

    /**
     * Checks a tree that no client changes.
     *
     * @param word returns a word of the data by its number
     * @return all entries
     * @throws IllegalStateException if something is wrong
     */
    public static SortedMap<Long, Long> entries(BTree.Settings settings, LongUnaryOperator word) {
        return new TreeCheck(new TreeLayout(settings.nodeWords(), settings.nodes()), word).entries();
    }

    private SortedMap<Long, Long> entries() {
        Root root = Root.of(word.applyAsLong(TreeLayout.ROOT));
        Map<Integer, Long> expected = Map.of(root.node(), Node.LOWEST);
        int first = root.node();
        for (int level = root.level(); level > 0; level--) {
            expected = inner(first, level, expected);
            first = firstOf(expected);
        }
        return leaves(first, expected);
    }

    /** Returns the node with the lowest fence. */
    private static int firstOf(Map<Integer, Long> nodes) {
        return nodes.entrySet().stream()
                .filter(node -> node.getValue() == Node.LOWEST)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private long[] words(int node) {
        long[] words = new long[layout.nodeWords()];
        for (int i = 0; i < words.length; i++) {
            words[i] = word.applyAsLong(layout.word(node) + i);
        }
        return words;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    /**
     * Checks a level from its first node on.
     *
     * @param expected the nodes that the level above has, with their low fences
     * @return the children
     */
    private Map<Integer, Long> inner(int first, int level, Map<Integer, Long> expected) {
        Map<Integer, Long> children = new HashMap<>();
        Map<Integer, Long> left = new HashMap<>(expected);
        long low = Node.LOWEST;
        int node = first;
        while (node != TreeLayout.NONE) {
            Inner inner = intact(node);
            checkFences(node, inner.words(), level, low, left.remove(node));
            check(inner.children().firstKey() == low, "the first child of node " + node + " has another fence");
            check(inner.children().lastKey() < inner.high(), "node " + node + " has a child beyond its fence");
            inner.children().forEach((key, child) -> children.put(child, key));
            low = inner.high();
            node = inner.sibling();
        }
        checkEnd(low, left);
        return children;
    }

    private Inner intact(int node) {
        Inner inner = Inner.read(words(node));
        if (inner == null) {
            throw new IllegalStateException("inner node " + node + " is torn");
        }
        return inner;
    }

    private SortedMap<Long, Long> leaves(int first, Map<Integer, Long> expected) {
        SortedMap<Long, Long> entries = new TreeMap<>();
        Map<Integer, Long> left = new HashMap<>(expected);
        long low = Node.LOWEST;
        int node = first;
        while (node != TreeLayout.NONE) {
            Leaf leaf = new Leaf(words(node));
            check(leaf.isIntact(), "leaf " + node + " is torn");
            checkFences(node, leaf.words(), 0, low, left.remove(node));
            SortedMap<Long, Long> own = leaf.entries();
            check(own.isEmpty() || own.firstKey() >= low, "leaf " + node + " has a key below its fence");
            check(own.isEmpty() || own.lastKey() < leaf.high(), "leaf " + node + " has a key beyond its fence");
            check(own.size() == leaf.taken(), "leaf " + node + " has a key twice");
            entries.putAll(own);
            low = leaf.high();
            node = leaf.sibling();
        }
        checkEnd(low, left);
        return entries;
    }

    private static void checkFences(int node, long[] words, int level, long low, @Nullable Long expected) {
        check(words[Node.LEVEL] == level, "node " + node + " has another level than " + level);
        check(words[Node.LOW] == low, "the low fence of node " + node + " is not where its left sibling ends");
        check(expected != null && expected == low, "the level above has no entry with the low fence of node " + node);
    }

    private static void checkEnd(long high, Map<Integer, Long> left) {
        check(high == Node.HIGHEST, "the last node of a level ends at " + high);
        check(left.isEmpty(), "no sibling links lead to the nodes " + left.keySet());
    }
}
