// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.evaluation.data.Verbs;
import io.declock.protocols.application.ApplicationWorld;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** One client's verbs on the words of a tree. Not thread-safe. */
final class TreeMemory {
    private final TreeLayout layout;
    private final int chunk;
    private final ApplicationWorld world;
    /** Nodes that the client has taken and not used. */
    private final ArrayDeque<Integer> own = new ArrayDeque<>();

    /**
     * Makes one.
     *
     * @param chunk how many nodes the client takes at a time
     */
    TreeMemory(TreeLayout layout, int chunk, ApplicationWorld world) {
        this.layout = layout;
        this.chunk = chunk;
        this.world = world;
    }

    ApplicationWorld world() {
        return world;
    }

    TreeLayout layout() {
        return layout;
    }

    // ---------------------------------------------------------------- nodes

    /** Reads a leaf until its header is intact; entries may not be. */
    void readLeaf(int node, Consumer<Leaf> then) {
        Verbs.read(world, layout.word(node), layout.nodeWords(), words -> {
            Leaf leaf = new Leaf(words);
            if (leaf.isHeaderIntact()) {
                then.accept(leaf);
            } else {
                readLeaf(node, then);
            }
        });
    }

    /** Reads an inner node until it is intact. */
    void readInner(int node, Consumer<Inner> then) {
        Verbs.read(world, layout.word(node), layout.nodeWords(), words -> {
            Inner inner = Inner.read(words);
            if (inner != null) {
                then.accept(inner);
            } else {
                readInner(node, then);
            }
        });
    }

    void write(int node, long[] words, Runnable then) {
        Verbs.write(world, layout.word(node), words, then);
    }

    /**
     * Writes a new node, and then the one that it was split from. Nobody can reach the new one before that, and chains are executed in the order of posting.
     *
     * @param then called when both are written
     */
    void writeSplit(int right, long[] rightWords, int left, long[] leftWords, Runnable then) {
        write(right, rightWords, () -> {});
        write(left, leftWords, then);
    }

    void writeEntry(int node, int slot, long[] entry, Runnable then) {
        Verbs.write(world, layout.word(node) + Leaf.word(slot), entry, then);
    }

    /**
     * Takes a node that nobody uses.
     *
     * @throws IllegalStateException if none is left
     */
    void allocate(IntConsumer then) {
        Integer node = own.poll();
        if (node != null) {
            then.accept(node);
            return;
        }
        Verbs.fetchAndAdd(world, TreeLayout.ALLOCATOR, chunk, first -> {
            if (first + chunk > layout.nodes()) {
                throw new IllegalStateException("the tree has no node left of " + layout.nodes());
            }
            for (int i = 0; i < chunk; i++) {
                own.add((int) first + i);
            }
            allocate(then);
        });
    }

    /** Takes a node back that nobody has learnt of. */
    void giveBack(int node) {
        own.addFirst(node);
    }

    // ---------------------------------------------------------------- the root

    void readRoot(Consumer<Root> then) {
        Verbs.read(world, TreeLayout.ROOT, 1, words -> then.accept(Root.of(words[0])));
    }

    /**
     * Writes a node and makes it the root, unless another node has become that meanwhile.
     *
     * @param then gets the former root
     */
    void grow(Root from, Root to, Inner node, Consumer<Root> then) {
        world.post(Verbs.then(results -> then.accept(Root.of(results.value(1))))
                .write(world.address(layout.word(to.node())), node.words())
                .compareAndSwap(world.address(TreeLayout.ROOT), from.word(), to.word()));
    }
}
