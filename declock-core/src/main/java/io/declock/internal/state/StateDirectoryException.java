// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.state;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A memory node cannot use its state directory. */
public final class StateDirectoryException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What to do about it. */
    private final String action;

    StateDirectoryException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns what to do about it. */
    public String action() {
        return action;
    }
}
