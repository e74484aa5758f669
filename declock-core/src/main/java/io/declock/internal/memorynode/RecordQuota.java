// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many records one session has created that were not taken back, and how many it may, so that a compute node that asks for
 * ever new names leaves room for the others. A record keeps the quota that was charged for it, and gives back there when it is
 * taken back.
 *
 * <p>The charge ends with the session: it joins anew with a quota of its own, and nobody is charged for what is left of the former
 * one. Those records are idle and soon taken back, or others use them, who have not created them. Thread-safe.
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

    /** Takes the charge for one record back. */
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
