// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/** Times in microseconds, right to one per cent, which can be sent as a map from time to count. Thread-safe. */
public final class Histogram {
    private static final int SIGNIFICANT_DIGITS = 2;

    private final ConcurrentHistogram times = new ConcurrentHistogram(SIGNIFICANT_DIGITS);

    /** Records one time. */
    public void record(long nanos) {
        times.recordValue(Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos)));
    }

    /** Adds everything of another one. */
    public void add(Histogram other) {
        times.add(other.times);
    }

    /** Adds what {@link #counts} of another one returned. */
    public void add(Map<Long, Long> counts) {
        counts.forEach(times::recordValueWithCount);
    }

    /** Takes away what {@link #counts} of another one returned, which must have been added. */
    public void subtract(Map<Long, Long> counts) {
        Histogram other = new Histogram();
        other.add(counts);
        times.subtract(other.times);
    }

    /** Returns how often each time was recorded. */
    public SortedMap<Long, Long> counts() {
        SortedMap<Long, Long> counts = new TreeMap<>();
        times.recordedValues()
                .forEach(value -> counts.put(value.getValueIteratedTo(), value.getCountAtValueIteratedTo()));
        return counts;
    }

    /** Returns how many times were recorded. */
    public long count() {
        return times.getTotalCount();
    }

    /** Returns the time that the given share of all recorded ones did not exceed, in microseconds; 0 without any. */
    public long percentile(double share) {
        return times.getValueAtPercentile(100 * share);
    }

    /** Returns the longest time, in microseconds; 0 without any. */
    public long max() {
        return times.getMaxValue();
    }
}
