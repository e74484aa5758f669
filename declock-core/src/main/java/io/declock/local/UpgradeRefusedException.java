// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.DecLockException;

/** A reader asked for the write lock of the same name and would have waited for itself. */
public final class UpgradeRefusedException extends DecLockException {
    private static final long serialVersionUID = 1L;

    UpgradeRefusedException(String message) {
        super(message);
    }
}
