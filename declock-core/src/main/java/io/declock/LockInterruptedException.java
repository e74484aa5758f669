// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/**
 * A thread was interrupted while it waited for a lock through an API without checked exceptions. Nothing is held then, and the thread's
 * interrupt status is set.
 */
public final class LockInterruptedException extends DecLockException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message which lock was waited for
     * @param cause the interruption
     */
    public LockInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
