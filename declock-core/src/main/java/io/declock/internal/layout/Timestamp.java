// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

/**
 * Acquisition timestamps: {@value QueueEntry#TIMESTAMP_BITS} bits in units of {@value #UNIT_NANOS} ns on the memory node's clock, so waits
 * of up to a minute are ordered (the paper's 16 bits of microseconds order 32 ms). A wrong order costs fairness only; in addition, local
 * hand-overs have a hard bound.
 */
public final class Timestamp {
    /** Nanoseconds per unit. */
    public static final long UNIT_NANOS = 16_384;

    private static final int MASK = (1 << QueueEntry.TIMESTAMP_BITS) - 1;
    private static final int SIGN = 1 << QueueEntry.TIMESTAMP_BITS - 1;

    private Timestamp() {}

    /** Returns the timestamp of an instant of the memory node's clock. No instant has the value that marks an entry as kept. */
    public static int of(long memoryNodeNanos) {
        int units = (int) (memoryNodeNanos / UNIT_NANOS) & MASK;
        return units == QueueEntry.KEPT ? units - 1 : units;
    }

    /** Returns whether {@code a} is earlier than {@code b}, up to half the range apart. */
    public static boolean isBefore(int a, int b) {
        return (a - b & SIGN) != 0 && (a - b & MASK) != 0;
    }

    /** Returns the earlier of two timestamps, of which the first may be -1 for none. */
    public static int earlier(int earliest, int timestamp) {
        return earliest < 0 || isBefore(timestamp, earliest) ? timestamp : earliest;
    }
}
