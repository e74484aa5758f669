// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of one compute node have together: the root and the inner nodes that one of them has read, and the locks, if they queue here. What is kept here may be old. An old inner node leads to
 * a child, or to the left of it, because a node's low fence never changes; from there siblings lead on. Thread-safe.
 */
final class ComputeNode {
    private final Map<Integer, Inner> inner = new ConcurrentHashMap<>();
    private final LocalLocks locks = new LocalLocks();
    private volatile @Nullable Root root;

    @Nullable
    Root root() {
        return root;
    }

    void keep(Root read) {
        root = read;
    }

    /** The next one reads the root again. */
    void forgetRoot() {
        root = null;
    }

    @Nullable
    Inner inner(int node) {
        return inner.get(node);
    }

    /** Keeps an inner node unless a later change of it is here. */
    void keep(int node, Inner read) {
        inner.merge(node, read, (old, now) -> now.version() >= old.version() ? now : old);
    }

    /** The next one reads an inner node again. */
    void forget(int node) {
        inner.remove(node);
    }

    LocalLocks locks() {
        return locks;
    }
}
