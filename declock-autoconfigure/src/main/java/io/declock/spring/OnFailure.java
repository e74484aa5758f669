// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring;

/**
 * What a locked method does when its lock was not granted. In no case does it run without it.
 *
 * <p>An unavailable memory node is not an occupied lock: {@link io.declock.MemoryNodeUnavailableException} is thrown
 * whatever is chosen here, except that a fallback may accept it.
 */
public enum OnFailure {
    /** Throw {@link io.declock.LockNotGrantedException}. */
    THROW,
    /**
     * Return what stands for nothing in the return type: null, zero, false, or an empty optional, collection, map, array,
     * stream, stage or publisher.
     */
    RETURN_DEFAULT,
    /** Call {@link DecLocked#fallback()} and return what it returns. */
    FALLBACK,
    /** Return without having done anything. Only for methods without a result. */
    SKIP
}
