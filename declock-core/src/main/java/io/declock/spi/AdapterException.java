// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import org.jspecify.annotations.Nullable;

/** An RDMA adapter cannot be used. The message gives the cause, {@link #action} the remedy. */
public class AdapterException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What to do about it. */
    private final String action;

    /**
     * Makes one.
     *
     * @param message why the adapter cannot be used
     * @param action what to do
     * @param cause what caused it, or null
     */
    public AdapterException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** {@return the remedy} */
    public String action() {
        return action;
    }
}
