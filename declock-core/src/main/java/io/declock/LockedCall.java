// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs while locks are held, and has a result; see {@link LockTemplate}.
 *
 * @param <T> type of the result
 * @param <E> type of the checked exceptions that it throws; {@link RuntimeException} if it throws none
 */
@FunctionalInterface
public interface LockedCall<T extends @Nullable Object, E extends Exception> {
    /**
     * Runs once, while the locks are held.
     *
     * @param handle the locks, for the fencing token and for checks; the template closes it
     * @return the result
     * @throws E what the code throws
     */
    T call(LockHandle handle) throws E;
}
