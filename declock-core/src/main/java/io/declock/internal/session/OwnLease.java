// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.time.Clock;

/**
 * The lease of one session as this process judges it, by its own clock (rule C1): the lease, less a margin, runs from the moment at which the
 * last answered renewal was sent. Thread-safe.
 */
final class OwnLease {
    private final GrantedLease granted;
    private final Clock clock;
    private volatile long until;
    private volatile boolean lapsed;

    /**
     * Makes one that runs.
     *
     * @param sentAt when the request to join was sent
     */
    OwnLease(GrantedLease granted, Clock clock, long sentAt) {
        this.granted = granted;
        this.clock = clock;
        this.until = sentAt + granted.nanos() - granted.marginNanos();
    }

    /** A renewal that was sent at that moment has been answered. */
    void renewed(long sentAt) {
        if (leftAt(clock.nanoTime()) <= 0) {
            return;
        }
        until = sentAt + granted.nanos() - granted.marginNanos();
    }

    /**
     * Returns the rest of the lease, zero when it has run out. A lease that was once seen to have run out stays so, despite late renewals and
     * even if the clock goes back: the code that saw it may have left a lock in an intermediate state, and relies on the session's end to
     * start the lock anew.
     */
    long leftAt(long now) {
        long left = lapsed ? 0 : until - now;
        if (left > 0) {
            return left;
        }
        lapsed = true;
        return 0;
    }

    /**
     * Returns how long ago the lease was renewed. Whatever renews it counts, also the measurement of the clock, so that a session which does
     * nothing sends no more than it must.
     */
    long sinceRenewalNanos() {
        long renewedAt = until - granted.nanos() + granted.marginNanos();
        return clock.nanoTime() - renewedAt;
    }

    /** Returns the interval at which the lease is renewed. */
    long heartbeatNanos() {
        return granted.heartbeatNanos();
    }
}
