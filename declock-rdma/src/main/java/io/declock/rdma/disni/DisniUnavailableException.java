// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.disni;

import java.io.IOException;

/** DiSNI's native library cannot be used in this process. */
public final class DisniUnavailableException extends IOException {
    private static final long serialVersionUID = 1;

    private final String action;

    DisniUnavailableException(String message, String action, Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    DisniUnavailableException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** Returns what to do. */
    public String action() {
        return action;
    }
}
