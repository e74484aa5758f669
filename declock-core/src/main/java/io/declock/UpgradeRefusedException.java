// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import org.jspecify.annotations.Nullable;

/**
 * An owner that holds only the read lock asked for the write lock, and would have waited for itself: it is refused at once, whatever its
 * wait time. {@link LockHandle#tryUpgrade()} turns the read lock into the write lock where that is possible.
 */
public class UpgradeRefusedException extends LockNotGrantedException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with a message for operators.
     *
     * @param message what happened and what to do about it
     */
    public UpgradeRefusedException(@Nullable String message) {
        super(message);
    }
}
