// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One client's changes of a tree. It holds one lock at a time: a node that is split has its sibling link before the entry for the sibling is put into the node above. Not thread-safe.
 */
final class TreeWriter {
    private final TreeMemory memory;
    private final Descent descent;
    private final ComputeNode computeNode;
    private final NodeLocks locks;
    private final int lockCount;
    private final TreeObserver observer;

    TreeWriter(
            TreeMemory memory,
            Descent descent,
            ComputeNode computeNode,
            NodeLocks locks,
            int lockCount,
            TreeObserver observer) {
        this.memory = memory;
        this.descent = descent;
        this.computeNode = computeNode;
        this.locks = locks;
        this.lockCount = lockCount;
        this.observer = observer;
    }

    /** A node whose lock the client holds. */
    private record Locked<N>(int node, N content) {}

    private void release(int node, Runnable then) {
        locks.release(lock(node), then);
    }

    private int lock(int node) {
        return node % lockCount;
    }

    // ---------------------------------------------------------------- leaves

    /** Sets the value of a key. */
    void put(long key, long value, Runnable then) {
        withLeaf(key, leaf -> put(leaf, key, value, then));
    }

    /** Removes a key. A leaf without entries stays. */
    void remove(long key, Runnable then) {
        withLeaf(key, leaf -> {
            int slot = leaf.content().find(key);
            if (slot == Leaf.NONE) {
                release(leaf.node(), then);
                return;
            }
            long begun = memory.world().now();
            memory.writeEntry(leaf.node(), slot, leaf.content().entry(Leaf.FREE, 0), () -> {
                observer.wrote(key, null, begun, memory.world().now());
                release(leaf.node(), then);
            });
        });
    }

    private void withLeaf(long key, Consumer<Locked<Leaf>> then) {
        descent.find(key, 0, node -> lockLeaf(node, key, then));
    }

    private void lockLeaf(int node, long key, Consumer<Locked<Leaf>> then) {
        locks.acquire(
                lock(node),
                () -> memory.readLeaf(node, leaf -> {
                    if (key >= leaf.high()) {
                        descent.wentAside();
                        release(node, () -> lockLeaf(leaf.sibling(), key, then));
                    } else if (leaf.isIntact()) {
                        then.accept(new Locked<>(node, leaf));
                    } else {
                        throw new IllegalStateException("somebody writes to a locked leaf");
                    }
                }));
    }

    private void put(Locked<Leaf> locked, long key, long value, Runnable then) {
        Leaf leaf = locked.content();
        int found = leaf.find(key);
        int slot = found == Leaf.NONE ? leaf.find(Leaf.FREE) : found;
        if (slot == Leaf.NONE) {
            memory.allocate(right -> split(locked, right, key, value, then));
            return;
        }
        long begun = memory.world().now();
        memory.writeEntry(locked.node(), slot, leaf.entry(key, value), () -> {
            observer.wrote(key, value, begun, memory.world().now());
            release(locked.node(), then);
        });
    }

    private void split(Locked<Leaf> locked, int rightNode, long key, long value, Runnable then) {
        Leaf leaf = locked.content();
        SortedMap<Long, Long> entries = leaf.entries();
        entries.put(key, value);
        long middle = middle(entries);
        TreeLayout layout = memory.layout();
        Leaf right = Leaf.of(layout, 1, middle, leaf.high(), leaf.sibling(), entries.tailMap(middle));
        Leaf left = Leaf.of(layout, leaf.version() + 1, leaf.low(), middle, rightNode, entries.headMap(middle));
        long begun = memory.world().now();
        memory.writeSplit(rightNode, right.words(), locked.node(), left.words(), () -> {
            observer.wrote(key, value, begun, memory.world().now());
            release(locked.node(), () -> enter(1, middle, rightNode, then));
        });
    }

    /** Returns the key from which on entries go to the new node. */
    private static long middle(SortedMap<Long, ?> entries) {
        return entries.keySet().stream().skip(entries.size() / 2).findFirst().orElseThrow();
    }

    // ---------------------------------------------------------------- inner nodes

    /** Enters a new child into a level, which may not be there yet. */
    private void enter(int level, long key, int child, Runnable then) {
        Root root = computeNode.root();
        if (root != null && root.level() >= level) {
            descent.find(key, level, node -> lockInner(node, key, inner -> enter(inner, key, child, then)));
            return;
        }
        memory.readRoot(read -> {
            computeNode.keep(read);
            if (read.level() >= level) {
                enter(level, key, child, then);
            } else {
                memory.allocate(node -> grow(read, node, key, child, then));
            }
        });
    }

    /** Makes a root above one, for its level's first node and a new one. */
    private void grow(Root old, int node, long key, int child, Runnable then) {
        SortedMap<Long, Integer> children = new TreeMap<>();
        children.put(Node.LOWEST, old.node());
        children.put(key, child);
        Root root = new Root(node, old.level() + 1);
        Inner inner = Inner.of(memory.layout(), 1, root.level(), Node.HIGHEST, TreeLayout.NONE, children);
        memory.grow(old, root, inner, former -> {
            if (former.equals(old)) {
                computeNode.keep(root);
                then.run();
            } else {
                memory.giveBack(node);
                computeNode.keep(former);
                enter(root.level(), key, child, then);
            }
        });
    }

    private void lockInner(int node, long key, Consumer<Locked<Inner>> then) {
        locks.acquire(
                lock(node),
                () -> memory.readInner(node, inner -> {
                    if (key >= inner.high()) {
                        descent.wentAside();
                        release(node, () -> lockInner(inner.sibling(), key, then));
                    } else {
                        then.accept(new Locked<>(node, inner));
                    }
                }));
    }

    private void enter(Locked<Inner> locked, long key, int child, Runnable then) {
        Inner inner = locked.content();
        SortedMap<Long, Integer> children = inner.children();
        children.put(key, child);
        if (children.size() > memory.layout().innerSlots()) {
            memory.allocate(right -> split(locked, right, children, then));
            return;
        }
        Inner changed =
                Inner.of(memory.layout(), inner.version() + 1, inner.level(), inner.high(), inner.sibling(), children);
        memory.write(locked.node(), changed.words(), () -> {
            computeNode.keep(locked.node(), changed);
            release(locked.node(), then);
        });
    }

    private void split(Locked<Inner> locked, int rightNode, SortedMap<Long, Integer> children, Runnable then) {
        Inner inner = locked.content();
        long middle = middle(children);
        TreeLayout layout = memory.layout();
        int level = inner.level();
        Inner right = Inner.of(layout, 1, level, inner.high(), inner.sibling(), children.tailMap(middle));
        Inner left = Inner.of(layout, inner.version() + 1, level, middle, rightNode, children.headMap(middle));
        memory.writeSplit(rightNode, right.words(), locked.node(), left.words(), () -> {
            computeNode.keep(locked.node(), left);
            computeNode.keep(rightNode, right);
            release(locked.node(), () -> enter(level + 1, middle, rightNode, then));
        });
    }
}
