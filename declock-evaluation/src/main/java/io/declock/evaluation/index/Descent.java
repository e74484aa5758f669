// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import java.util.function.IntConsumer;

/** One client's ways from the root to the node of a level that has a key, without locks. Not thread-safe. */
final class Descent {
    private final TreeMemory memory;
    private final ComputeNode computeNode;
    /** The node from whose entries the last way came to its end. */
    private int parent;

    Descent(TreeMemory memory, ComputeNode computeNode) {
        this.memory = memory;
        this.computeNode = computeNode;
    }

    /**
     * Finds a node of a level, at which the key is or from which siblings lead to it.
     *
     * @param level a level that the tree has
     */
    void find(long key, int level, IntConsumer then) {
        Root root = computeNode.root();
        if (root == null || root.level() < level) {
            memory.readRoot(read -> {
                computeNode.keep(read);
                from(read, key, level, then);
            });
        } else {
            from(root, key, level, then);
        }
    }

    private void from(Root root, long key, int level, IntConsumer then) {
        parent = TreeLayout.NONE;
        step(key, root.node(), root.level(), level, then);
    }

    private void step(long key, int node, int level, int target, IntConsumer then) {
        if (level == target) {
            then.accept(node);
            return;
        }
        Inner kept = computeNode.inner(node);
        if (kept == null || key >= kept.high()) {
            // An old one may have been split since.
            memory.readInner(node, inner -> {
                computeNode.keep(node, inner);
                through(key, node, inner, target, then);
            });
        } else {
            through(key, node, kept, target, then);
        }
    }

    private void through(long key, int node, Inner inner, int target, IntConsumer then) {
        if (key >= inner.high()) {
            wentAside();
            step(key, inner.sibling(), inner.level(), target, then);
        } else {
            parent = node;
            step(key, inner.child(key), inner.level() - 1, target, then);
        }
    }

    /** The key was at a sibling of the node that was found: what led there is old. */
    void wentAside() {
        if (parent == TreeLayout.NONE) {
            computeNode.forgetRoot();
        } else {
            computeNode.forget(parent);
        }
    }
}
