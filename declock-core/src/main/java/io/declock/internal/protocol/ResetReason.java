// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

/** Why a lock is brought before the reset coordinator (DecLock, section 4.4). */
public enum ResetReason {
    /** A position was taken beyond the queue's capacity. */
    OVERFLOW(false),
    /** The head nears the end of its range. */
    GUARD(false),
    /** The next in the queue is a compute node that is no longer a member. */
    DEAD_SUCCESSOR(true),
    /** A grant was refused: its receiver is a later incarnation. */
    GRANT_REFUSED(true),
    /** A waiter waited long; somebody may hold the lock, so the members are asked first (rule B10). */
    SUSPECTED(true),
    /** A reset does not come to an end; its initiator may be gone. */
    STALLED_RESET(false);

    private final boolean asksFirst;

    ResetReason(boolean asksFirst) {
        this.asksFirst = asksFirst;
    }

    /** Returns whether the members are asked before a reset is begun. */
    public boolean asksFirst() {
        return asksFirst;
    }
}
