// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.Purpose;

/**
 * READs the record after a release whose FAA was posted alone, and again until every relevant entry is filled. It gives up after a limit,
 * and the waiter learns of its grant by its self-check. {@link Successors} acts on it; guarded by the lock's mutex.
 */
final class Refetch extends LockChain {
    private static final int MOST_DOUBLINGS = 6;

    private final HandOver handOver;
    private Purpose why;
    private int attempts;

    /** Makes one that is posted for {@code why} first, and as a repeated READ from then on. */
    Refetch(Events events, HandOver handOver, Purpose why) {
        super(events, 1);
        this.handOver = handOver;
        this.why = why;
    }

    HandOver handOver() {
        return handOver;
    }

    /** Returns why the next READ is posted, and counts it if it is a repeated one. */
    Purpose nextPurpose() {
        Purpose now = why;
        attempts += now == Purpose.REFETCH ? 1 : 0;
        why = Purpose.REFETCH;
        return now;
    }

    boolean hasRepeatedBeyond(int limit) {
        return attempts > limit;
    }

    /** Returns the pause before the next READ: each attempt doubles it, up to a limit. */
    long pause(long intervalNanos) {
        return intervalNanos << Math.min(attempts, MOST_DOUBLINGS);
    }
}
