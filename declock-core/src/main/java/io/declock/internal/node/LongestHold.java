// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import java.time.Duration;

/** Finds the hold that began first. */
final class LongestHold implements LocalLock.Visitor {
    private final long now;
    private long longest;

    private LongestHold(long now) {
        this.now = now;
    }

    /** Returns how long it has lasted, zero if nothing is held. */
    static Duration of(Iterable<LocalLock> locks, long now) {
        LongestHold search = new LongestHold(now);
        locks.forEach(lock -> lock.visit(search));
        return Duration.ofNanos(search.longest);
    }

    @Override
    public void hold(Hold hold, boolean exclusive) {
        if (!hold.isDisowned()) {
            longest = Math.max(longest, now - hold.grantedAt());
        }
    }

    @Override
    public void waiter(LocalWaiter waiter, long since, int position) {}
}
