// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** How a lock is held: shared by any number of readers, or by one writer alone. */
public enum LockMode {
    /** Shared with other readers, excludes writers. */
    READ,
    /** Excludes every other holder. */
    WRITE;

    /** {@return whether a holder in this mode excludes every other holder} */
    public boolean isExclusive() {
        return this == WRITE;
    }
}
