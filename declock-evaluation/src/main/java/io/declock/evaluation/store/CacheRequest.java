// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

/**
 * What a client asks the store for.
 *
 * @param operation what
 * @param key the object's key
 * @param valueBytes bytes of the value that is set or prepended; of no meaning otherwise
 */
public record CacheRequest(Operation operation, CacheKey key, int valueBytes) {
    /** The store's operations; their ordinals are the kinds that its clients tell. */
    public enum Operation {
        /** Reads a value. */
        GET,
        /** Replaces a value, or adds an object. */
        SET,
        /** Removes an object. */
        DELETE,
        /** Puts bytes before those of a value, and drops at its end what has no room; of no effect without an object. */
        PREPEND
    }
}
