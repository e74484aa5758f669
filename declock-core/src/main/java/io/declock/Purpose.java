// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** Why a chain was posted; remote operations are counted by purpose and verb. */
public enum Purpose {
    /** The FAA that enqueues, alone. */
    ACQUIRE,
    /** The WRITE that fills a waiter's queue entry. */
    ENTRY,
    /** The FAA that dequeues, with the READ of the queue. */
    RELEASE,
    /** One FAA that dequeues and enqueues again at the tail, with the READ of the queue. */
    REQUEUE,
    /** READ and CAS of an acquisition that must not wait, of an upgrade, or the FAA of a downgrade. */
    CONVERT,
    /** The READ of the queue by which a holder learns whether there are remote waiters. */
    PREFETCH,
    /** The verbs that mark a position as kept, and the READ by which a caller that must not wait looks for such a mark. */
    KEEP,
    /** The READ by which a waiter checks on its own whether it was granted the lock. */
    SELF_CHECK,
    /** A READ that is repeated because entries were not filled yet. */
    REFETCH,
    /** The verbs of a reset, and the READs of the compute nodes that wait for its end. */
    RESET,
    /** The READ of one lock record for an operator. */
    INSPECT
}
