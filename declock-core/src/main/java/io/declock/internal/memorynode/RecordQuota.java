// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The number of records that one session has created and that were not reclaimed, and its limit, so that a compute node that keeps asking
 * for new names leaves room for the others. A record remembers the quota that was charged for it, and returns the charge when it is
 * reclaimed.
 *
 * <p>The charge ends with the session: after the next join the process has a new quota, and no session is charged for the remaining records
 * of the former one. Those records are idle and soon reclaimed, or in use by other compute nodes, which have not created them. Thread-safe.
 */
final class RecordQuota {
    private final int limit;
    private final AtomicInteger created = new AtomicInteger();

    RecordQuota(int limit) {
        this.limit = limit;
    }

    /** Charges one record; returns false if the limit is reached. */
    boolean take() {
        int now = created.get();
        while (now < limit) {
            if (created.compareAndSet(now, now + 1)) {
                return true;
            }
            now = created.get();
        }
        return false;
    }

    /** Returns the charge for one record. */
    void giveBack() {
        created.getAndDecrement();
    }

    /** Returns how many records are charged. */
    int created() {
        return created.get();
    }

    int limit() {
        return limit;
    }
}
