// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import org.jspecify.annotations.Nullable;

/** The memory node that a lock lives on cannot serve requests now. */
public class MemoryNodeUnavailableException extends DecLockException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with a message for operators.
     *
     * @param message what happened and what to do about it
     */
    public MemoryNodeUnavailableException(@Nullable String message) {
        super(message);
    }
}
