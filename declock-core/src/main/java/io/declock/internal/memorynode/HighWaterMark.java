// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The full epoch at which new and recycled records start. It lies above every full epoch that a name may have been granted
 * under before: it starts above the seconds since 2025, is raised above what joining compute nodes have seen, and above every
 * record that is recycled. Because it is raised at most once per reclaim round, and rounds are at least a second apart, it does
 * not outrun the seconds, and a memory node that starts over with empty memory starts above its former self. Thread-safe.
 */
final class HighWaterMark {
    /** Largest full epoch: 32 bits. */
    static final long MAX = (1L << 32) - 1;

    /** How far above the seconds since 2025 an epoch may lie: more than half a year of resets, each a second before its time. */
    static final long PLAUSIBLE_LEAD = 1L << 24;

    private final AtomicLong value;

    /** Starts above a number of seconds since 2025. */
    HighWaterMark(long secondsSince2025) {
        this.value = new AtomicLong(clamp(secondsSince2025 + 1));
    }

    /** Returns the epoch that a record given out now starts at. */
    long current() {
        return value.get();
    }

    /** Raises it above an epoch that is known to have been used. */
    void raiseAbove(long epoch) {
        long least = clamp(epoch + 1);
        value.accumulateAndGet(least, Math::max);
    }

    /** Returns whether there is no epoch above those that were used. */
    boolean isUsedUp() {
        return value.get() == MAX;
    }

    private static long clamp(long epoch) {
        return Math.max(1, Math.min(epoch, MAX));
    }
}
