// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

/**
 * What a locked method does when its lock was not granted. The method never runs without its lock.
 *
 * <p>An unavailable memory node is not a lock that is held: {@link io.declock.MemoryNodeUnavailableException} is thrown
 * with every value of this enum, unless a fallback accepts it.
 */
public enum OnFailure {
    /** Throw {@link io.declock.LockNotGrantedException}. */
    THROW,
    /**
     * Return the empty value of the return type: null, zero, false, or an empty optional, collection, map, array, stream, stage or
     * publisher.
     */
    RETURN_DEFAULT,
    /** Call {@link DecLocked#fallback()} and return what it returns. */
    FALLBACK,
    /** Return without running the method. Only for methods without a result. */
    SKIP
}
