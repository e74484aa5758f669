// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** How a grant came about. */
public enum GrantKind {
    /** The FAA found the lock free, or the process held it in a mode that may be shared. */
    UNCONTENDED,
    /** The caller queued, and its process was given the lock without a message (self-check, or queue empty on return). */
    QUEUED,
    /** Handed over by another caller of the same process, without a remote operation. */
    LOCAL,
    /** Handed over by another process with one message. */
    PEER
}
