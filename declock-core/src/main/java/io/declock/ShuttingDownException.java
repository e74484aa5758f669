// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.io.Serial;

/**
 * A lock was not acquired because this process is shutting down: its compute node no longer accepts acquisitions, or was closed while the
 * caller waited.
 */
public class ShuttingDownException extends DecLockException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what happened and what to do about it
     */
    public ShuttingDownException(String message) {
        super(message);
    }
}
