// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi.election;

import org.jspecify.annotations.Nullable;

/** An engine did not carry out an attempt, or it is not known whether it did. The message names the engine, what was tried and why it failed. */
public class ElectionException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message names the engine, what was tried and what happened
     * @param cause what caused it, or null
     */
    public ElectionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
