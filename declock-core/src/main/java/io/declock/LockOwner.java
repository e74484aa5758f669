// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.util.Objects;

/**
 * An owner of locks that is not a thread: a request, a reactive pipeline, a job. Reentrancy and release are decided by the owner's
 * identity, never by the calling thread, so an owner may acquire on one thread and release on another.
 *
 * <p>Immutable and thread-safe; equality is identity.
 */
public final class LockOwner {
    private final String description;

    private LockOwner(String description) {
        this.description = description;
    }

    /**
     * Makes a new owner, different from every other one.
     *
     * @param description shown by the lock endpoint and in error messages
     * @return the owner
     */
    public static LockOwner named(String description) {
        return new LockOwner(Objects.requireNonNull(description, "description"));
    }

    /** {@return the owner's description; not unique} */
    public String description() {
        return description;
    }

    @Override
    public String toString() {
        return description;
    }
}
