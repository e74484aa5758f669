// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The full epoch at which new and recycled records start. It lies above every full epoch under which a name may have been granted before:
 * it starts above the seconds since 2025, and is raised above the epochs that joining compute nodes have seen and above the epoch of every
 * record that is recycled. Because it is raised at most once per reclaim round, and rounds are at least a second apart, it does not outrun
 * the seconds, and a memory node that starts again with empty memory starts above the epochs of its former life. Thread-safe.
 */
final class HighWaterMark {
    /** Largest full epoch: 32 bits. */
    static final long MAX = (1L << 32) - 1;

    /**
     * How far above the seconds since 2025 an epoch may lie. Each reset raises an epoch by one, so a record that is reset twice a second
     * gets this far ahead of the seconds after more than half a year.
     */
    static final long PLAUSIBLE_LEAD = 1L << 24;

    private final AtomicLong value;

    /** Makes a mark above a number of seconds since 2025. */
    HighWaterMark(long secondsSince2025) {
        this.value = new AtomicLong(clamp(secondsSince2025 + 1));
    }

    /** Returns the epoch at which a record that is allocated now starts. */
    long current() {
        return value.get();
    }

    /** Raises the mark above an epoch that is known to have been used. */
    void raiseAbove(long epoch) {
        long least = clamp(epoch + 1);
        value.accumulateAndGet(least, Math::max);
    }

    /** Returns whether no epoch is left above the used ones. */
    boolean isUsedUp() {
        return value.get() == MAX;
    }

    private static long clamp(long epoch) {
        return Math.max(1, Math.min(epoch, MAX));
    }
}
