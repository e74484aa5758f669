// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.layout.Timestamp;

/**
 * How far the memory node's clock is ahead of this process's, so that timestamps of all compute nodes compare (rule E7): measured at the
 * midpoint of a request and its answer. Thread-safe.
 */
final class ClockOffset {
    private volatile long nanos;
    private volatile long roundTripNanos = -1;
    /** When it was measured last. */
    private volatile long measuredAt;

    /** Takes it from the answer to the request to join; the time up to that is no round trip, because it includes making the connection. */
    ClockOffset(long sentAt, long answeredAt, long memoryNodeTime) {
        this.nanos = between(sentAt, answeredAt, memoryNodeTime);
        this.measuredAt = answeredAt;
    }

    /** Takes it, and the round trip, from the answer to a heartbeat. */
    void measured(long sentAt, long answeredAt, long memoryNodeTime) {
        roundTripNanos = answeredAt - sentAt;
        nanos = between(sentAt, answeredAt, memoryNodeTime);
        measuredAt = answeredAt;
    }

    private static long between(long sentAt, long answeredAt, long memoryNodeTime) {
        return memoryNodeTime - (sentAt + (answeredAt - sentAt) / 2);
    }

    /** Returns whether it was measured in the time before {@code now}; not if the clock has gone back. */
    boolean isFresh(long now, long withinNanos) {
        long ago = now - measuredAt;
        return ago >= 0 && ago < withinNanos;
    }

    /** Returns the timestamp of a moment of this process's clock. */
    int timestamp(long now) {
        return Timestamp.of(now + nanos);
    }

    /** Returns the memory node's clock less this process's. */
    long nanos() {
        return nanos;
    }

    /** Returns the last measured round trip, -1 before the first. */
    long roundTripNanos() {
        return roundTripNanos;
    }
}
