// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import org.jspecify.annotations.Nullable;

/** The wait time ran out before the lock was granted, or the lock was busy and the request allowed no waiting. */
public class LockNotGrantedException extends DecLockException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with a message for operators.
     *
     * @param message what happened and what to do about it
     */
    public LockNotGrantedException(@Nullable String message) {
        super(message);
    }
}
