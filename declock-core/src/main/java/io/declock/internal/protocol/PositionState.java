// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

/** A compute node's state in the remote queue of one lock. */
public enum PositionState {
    /** No position. */
    IDLE,
    /** An FAA that takes a position is in flight. */
    ENQUEUING,
    /** An FAA that gives a position back and takes another is in flight. */
    REQUEUING,
    /** A position was taken in an epoch whose full number is being read. */
    LEARNING,
    /** The position waits for its grant. */
    WAITING,
    /** The position holds the lock. */
    HELD,
    /** The FAA that gives the position back is in flight. */
    LEAVING,
    /** READ and CAS of an acquisition that must not wait are in flight. */
    TRYING,
    /** A reset ended the position; this node awaits a new epoch. */
    ABORTED,
    /** Released by its last user while a reset kept it alive; the FAA follows in the new epoch (rule B12.1). */
    PUT_OFF,
    /** The session has ended. */
    DEAD
}
