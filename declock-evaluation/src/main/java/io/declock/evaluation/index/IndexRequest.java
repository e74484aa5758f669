// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

/**
 * What a client asks the tree for.
 *
 * @param operation what
 * @param key a key from one on, below {@link Long#MAX_VALUE}; the first one of a scan
 */
public record IndexRequest(Operation operation, long key) {
    /** The tree's operations; their ordinals are the kinds that its clients tell. */
    public enum Operation {
        /** Looks a key up. */
        LOOK_UP,
        /** Sets the value of a key, which may be new. */
        PUT,
        /** Removes a key. */
        REMOVE,
        /** Reads some entries from a key on. */
        SCAN
    }
}
