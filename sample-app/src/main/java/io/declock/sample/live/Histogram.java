// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Times in buckets that grow with the value: 16 per power of two, so that a percentile is accurate to about 6 %. Kept in
 * microseconds. Thread-safe.
 */
public final class Histogram {
    private static final int SUB_BITS = 4;
    private static final int SUB = 1 << SUB_BITS;
    private static final int BUCKETS = SUB * (Long.SIZE - SUB_BITS);

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

    /** Records one time. */
    public void record(long nanos) {
        counts.incrementAndGet(bucket(Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos))));
    }

    /** Adds all times of another histogram. */
    public void add(Histogram other) {
        for (int i = 0; i < BUCKETS; i++) {
            long count = other.counts.get(i);
            if (count > 0) {
                counts.addAndGet(i, count);
            }
        }
    }

    /** Adds the buckets that {@link #filled} of another histogram returned. */
    public void add(Map<Integer, Long> filled) {
        filled.forEach((bucket, count) -> counts.addAndGet(bucket, count));
    }

    /** Subtracts the buckets that {@link #filled} of another histogram returned. */
    public void subtract(Map<Integer, Long> filled) {
        filled.forEach((bucket, count) -> counts.addAndGet(bucket, -count));
    }

    /** Returns the buckets that are not empty. */
    public SortedMap<Integer, Long> filled() {
        SortedMap<Integer, Long> filled = new TreeMap<>();
        for (int i = 0; i < BUCKETS; i++) {
            long count = counts.get(i);
            if (count > 0) {
                filled.put(i, count);
            }
        }
        return filled;
    }

    /** Returns how many times were recorded. */
    public long count() {
        long count = 0;
        for (int i = 0; i < BUCKETS; i++) {
            count += counts.get(i);
        }
        return count;
    }

    /** Returns the time that the given share of all recorded times did not exceed, in microseconds; 0 if none was recorded. */
    public long percentile(double share) {
        long rank = Math.max(1, (long) Math.ceil(share * count()));
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts.get(i);
            if (seen >= rank) {
                return upperBound(i);
            }
        }
        return 0;
    }

    /** Returns the longest time, in microseconds; 0 if none was recorded. */
    public long max() {
        for (int i = BUCKETS - 1; i >= 0; i--) {
            if (counts.get(i) > 0) {
                return upperBound(i);
            }
        }
        return 0;
    }

    private static int bucket(long micros) {
        if (micros < SUB) {
            return (int) micros;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros) - SUB_BITS;
        return (shift + 1) * SUB + (int) (micros >>> shift) - SUB;
    }

    private static long upperBound(int bucket) {
        if (bucket < SUB) {
            return bucket;
        }
        int shift = bucket / SUB - 1;
        return ((long) (bucket % SUB + SUB + 1) << shift) - 1;
    }
}
