// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import org.jspecify.annotations.Nullable;

/** A memory node refused this process: wrong secret, other protocol version, other set of memory nodes, too many compute nodes, or a full table. */
public class MemoryNodeRefusedException extends DecLockException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with a message and a cause.
     *
     * @param message what happened and what to do about it
     * @param cause what caused it, or null
     */
    public MemoryNodeRefusedException(@Nullable String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
