// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.protocols.application.Application.Loader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** Builds a tree from the bottom up before clients use it. Its nodes are three quarters full. Not thread-safe. */
final class BulkLoad {
    private final TreeLayout layout;
    private final Loader loader;
    private int nodes = TreeLayout.NONE;

    /**
     * A part of a level: what becomes one node.
     *
     * @param node its number
     * @param low its low fence
     */
    private record Part<V>(int node, long low, SortedMap<Long, V> entries) {}

    BulkLoad(TreeLayout layout, Loader loader) {
        this.layout = layout;
        this.loader = loader;
    }

    /** Builds it; the value of each key is its negative. */
    void load(LongStream keys) {
        SortedMap<Long, Long> entries = new TreeMap<>();
        keys.forEach(key -> entries.put(key, -key));
        List<Part<Long>> leaves = parts(entries, layout.leafSlots());
        SortedMap<Long, Integer> children = new TreeMap<>();
        for (int i = 0; i < leaves.size(); i++) {
            Part<Long> part = leaves.get(i);
            write(
                    part,
                    Leaf.of(layout, 1, part.low(), high(leaves, i), sibling(leaves, i), part.entries())
                            .words());
            children.put(part.low(), part.node());
        }
        int level = 0;
        while (children.size() > 1) {
            level++;
            children = inner(level, children);
        }
        Root root = new Root(Objects.requireNonNull(children.get(children.firstKey())), level);
        loader.write(TreeLayout.ROOT, new long[] {root.word(), nodes + 1});
    }

    private SortedMap<Long, Integer> inner(int level, SortedMap<Long, Integer> children) {
        List<Part<Integer>> parts = parts(children, layout.innerSlots());
        SortedMap<Long, Integer> above = new TreeMap<>();
        for (int i = 0; i < parts.size(); i++) {
            Part<Integer> part = parts.get(i);
            write(
                    part,
                    Inner.of(layout, 1, level, high(parts, i), sibling(parts, i), part.entries())
                            .words());
            above.put(part.low(), part.node());
        }
        return above;
    }

    private <V> List<Part<V>> parts(SortedMap<Long, V> entries, int slots) {
        int each = Math.max(2, slots * 3 / 4);
        List<Part<V>> parts = new ArrayList<>();
        SortedMap<Long, V> next = new TreeMap<>();
        for (var entry : entries.entrySet()) {
            if (next.size() == each) {
                add(parts, next);
                next = new TreeMap<>();
            }
            next.put(entry.getKey(), entry.getValue());
        }
        add(parts, next);
        return parts;
    }

    private <V> void add(List<Part<V>> parts, SortedMap<Long, V> entries) {
        if (++nodes >= layout.nodes()) {
            throw new IllegalArgumentException("the keys need more than " + layout.nodes() + " nodes");
        }
        parts.add(new Part<>(nodes, parts.isEmpty() ? Node.LOWEST : entries.firstKey(), entries));
    }

    private void write(Part<?> part, long[] words) {
        loader.write(layout.word(part.node()), words);
    }

    private static long high(List<? extends Part<?>> parts, int i) {
        return i + 1 < parts.size() ? parts.get(i + 1).low() : Node.HIGHEST;
    }

    private static int sibling(List<? extends Part<?>> parts, int i) {
        return i + 1 < parts.size() ? parts.get(i + 1).node() : TreeLayout.NONE;
    }
}
