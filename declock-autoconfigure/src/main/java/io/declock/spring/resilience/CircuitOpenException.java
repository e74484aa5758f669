// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.resilience;

import io.declock.MemoryNodeUnavailableException;

/** The circuit of a memory node is open, because it was found unavailable a number of times: nothing was tried. */
public final class CircuitOpenException extends MemoryNodeUnavailableException {
    private static final long serialVersionUID = 1L;

    /** Makes one with a message for the person who reads the log. */
    public CircuitOpenException(String message) {
        super(message);
    }
}
