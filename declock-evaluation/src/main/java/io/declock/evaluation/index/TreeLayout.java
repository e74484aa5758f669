// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import io.declock.protocols.application.ApplicationWorld;

/**
 * Where the words of a tree are: nodes of equal size, by number. In the place of node zero are the root's word and the allocator's word.
 *
 * @param nodeWords words of a node, a power of two that fits in a block
 * @param nodes number of nodes, with the one that is none
 */
record TreeLayout(int nodeWords, int nodes) {
    /** No node. */
    static final int NONE = 0;

    /** The word that says which node is the root. */
    static final long ROOT = 0;

    /** The word with the number of the next node that nobody has taken. */
    static final long ALLOCATOR = 1;

    private static final int FEWEST_WORDS = 16;

    TreeLayout {
        if (nodeWords < FEWEST_WORDS || nodeWords > ApplicationWorld.BLOCK || Integer.bitCount(nodeWords) != 1) {
            throw new IllegalArgumentException("nodes of " + nodeWords + " words");
        }
    }

    long word(int node) {
        return (long) node * nodeWords;
    }

    long words() {
        return (long) nodes * nodeWords;
    }

    int leafSlots() {
        return (nodeWords - Node.HEADER_WORDS - 1) / Leaf.ENTRY_WORDS;
    }

    int innerSlots() {
        return (nodeWords - Inner.ENTRIES - 1) / Inner.ENTRY_WORDS;
    }
}
