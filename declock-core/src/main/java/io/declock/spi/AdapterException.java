// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import org.jspecify.annotations.Nullable;

/** An RDMA adapter cannot be used. The message gives the cause, {@link #action} the remedy. */
public class AdapterException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String action;

    /** Makes one. */
    public AdapterException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns the remedy. */
    public String action() {
        return action;
    }
}
