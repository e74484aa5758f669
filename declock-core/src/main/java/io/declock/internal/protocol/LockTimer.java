// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

/** The timers of a lock; each comes back as an event of the lock ({@link LockChain.Events#due}). */
enum LockTimer {
    /** A waiter may check on its own whether it holds. */
    SELF_CHECK,
    /** A look at the remote queue was planned for now. */
    LOOK,
    /** A frozen lock may READ the epoch. */
    RESET_POLL
}
