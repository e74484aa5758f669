// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import org.jspecify.annotations.Nullable;

/** The superclass of the library's exceptions. The message names the lock, the memory node, the attempted action and the remedy. */
public class DecLockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with a message for operators.
     *
     * @param message what happened and what to do about it
     */
    public DecLockException(@Nullable String message) {
        super(message);
    }

    /**
     * Makes one with a message and a cause.
     *
     * @param message what happened and what to do about it
     * @param cause what caused it, or null
     */
    public DecLockException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
