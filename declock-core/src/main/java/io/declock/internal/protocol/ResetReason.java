// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

/** Why a lock asks the reset coordinator for a reset (DecLock, section 4.4). */
public enum ResetReason {
    /** There are more positions than compute nodes, so that dead ones have left most of them behind. */
    OVERFLOW(false),
    /** The head nears the end of its range. */
    GUARD(false),
    /** The next position in the queue belongs to a compute node that is no longer a member. */
    DEAD_SUCCESSOR(true),
    /** A grant was refused: its receiver is a later incarnation. */
    GRANT_REFUSED(true),
    /** A waiter suspects that no living node holds the lock; a node may still hold it, so the users are asked first (rule B10). */
    SUSPECTED(true),
    /** A connection broke before the result of an FAA or CAS arrived, and nobody remembers it (rule G6). */
    OUTCOME_UNKNOWN(false),
    /** A reset does not end; its initiator may be dead. */
    STALLED_RESET(false);

    private final boolean asksFirst;

    ResetReason(boolean asksFirst) {
        this.asksFirst = asksFirst;
    }

    /** Returns whether the users are asked before a reset is begun. */
    public boolean asksFirst() {
        return asksFirst;
    }
}
