// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

/**
 * The root's word: which node is the root, and its level. A node that was the root once is the first one of its level, so it still leads to each key.
 *
 * @param node number of the node
 * @param level its level; leaves have zero
 */
record Root(int node, int level) {
    static Root of(long word) {
        return new Root((int) word, (int) (word >>> Integer.SIZE));
    }

    long word() {
        return (long) level << Integer.SIZE | node;
    }
}
