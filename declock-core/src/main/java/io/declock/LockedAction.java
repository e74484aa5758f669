// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/**
 * Code that runs while locks are held, and has no result; see {@link LockTemplate}.
 *
 * @param <E> type of the checked exceptions that it throws; {@link RuntimeException} if it throws none
 */
@FunctionalInterface
public interface LockedAction<E extends Exception> {
    /**
     * Runs once, while the locks are held.
     *
     * @param handle the locks, for the fencing token and for checks; the template closes it
     * @throws E what the code throws
     */
    void run(LockHandle handle) throws E;
}
