// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

/** The outcome of a reset, or of the question before it. */
public enum ResetOutcome {
    /** The lock starts over in a new epoch. */
    COMPLETED,
    /** A node holds the lock, or the queue has moved: waiting goes on. */
    NOT_NEEDED,
    /** Another compute node resets the lock. */
    LEFT_TO_OTHER,
    /** The session ended. */
    ABANDONED
}
