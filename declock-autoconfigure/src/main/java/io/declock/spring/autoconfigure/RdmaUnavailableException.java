// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Memory nodes with {@code rdma://} addresses are configured, but RDMA cannot be used. */
final class RdmaUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    RdmaUnavailableException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns what to do. */
    String action() {
        return action;
    }
}
