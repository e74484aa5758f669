// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.ComputeNodeSettings;

/**
 * The lease that a memory node granted to a session.
 *
 * @param nanos how long it lasts after a renewal
 * @param heartbeatNanos how often it is renewed
 * @param marginNanos how much earlier than the memory node this process treats it as expired
 */
record GrantedLease(long nanos, long heartbeatNanos, long marginNanos) {
    /** If it is shorter than was asked for, heartbeats and margin are shorter in the same proportion: otherwise they would not fit into it. */
    static GrantedLease of(ComputeNodeSettings asked, long nanos) {
        double share = Math.min(1, (double) nanos / asked.lease().toNanos());
        return new GrantedLease(
                nanos, Math.max(1, (long) (asked.heartbeatInterval().toNanos() * share)), (long)
                        (asked.leaseMargin().toNanos() * share));
    }
}
