// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import io.declock.MemoryNodeUnavailableException;

/** The circuit of a memory node is open because the memory node was unavailable before: no acquisition was attempted. */
public final class CircuitOpenException extends MemoryNodeUnavailableException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with a message for people.
     *
     * @param message what happened and what to do about it
     */
    public CircuitOpenException(String message) {
        super(message);
    }
}
