// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import org.jspecify.annotations.Nullable;

/** Says why the memory node did not start, and what to do about it. */
final class MemoryNodeStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    MemoryNodeStartException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    MemoryNodeStartException(String description, String action) {
        this(description, action, null);
    }

    /** Returns what to do. */
    String action() {
        return action;
    }
}
