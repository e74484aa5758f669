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

    /** Whether another memory node uses it. */
    private final boolean inUse;

    StateDirectoryException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
        this.inUse = false;
    }

    private StateDirectoryException(String message, String action) {
        super(message);
        this.action = action;
        this.inUse = true;
    }

    static StateDirectoryException inUse(String message, String action) {
        return new StateDirectoryException(message, action);
    }

    /** Returns whether another memory node uses the directory at this moment. */
    public boolean isInUse() {
        return inUse;
    }

    /** Returns what to do about it. */
    public String action() {
        return action;
    }
}
