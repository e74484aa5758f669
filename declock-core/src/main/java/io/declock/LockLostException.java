// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import org.jspecify.annotations.Nullable;

/** A hold ended before its owner released it: the session's lease ran out, the memory node was lost, or the ceiling on the hold was reached. */
public class LockLostException extends DecLockException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with a message for operators.
     *
     * @param message what happened and what to do about it
     */
    public LockLostException(@Nullable String message) {
        super(message);
    }

    /**
     * Makes one with a message and a cause.
     *
     * @param message what happened and what to do about it
     * @param cause what caused it, or null
     */
    public LockLostException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
