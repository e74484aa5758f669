// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import org.HdrHistogram.Histogram;

/** Times of many operations, in nanoseconds, each known to three digits. Immutable. */
public final class Latencies {
    private final Histogram histogram;

    Latencies(Histogram histogram) {
        this.histogram = histogram.copy();
    }

    /** Returns how many there are. */
    public long count() {
        return histogram.getTotalCount();
    }

    /** Returns the mean; zero if there are none. */
    public double mean() {
        return histogram.getMean();
    }

    /**
     * Returns the time that so many percent do not exceed; zero if there are none.
     *
     * @param percent from 0 to 100
     */
    public long percentile(double percent) {
        return histogram.getValueAtPercentile(percent);
    }

    /** Returns the longest; zero if there are none. */
    public long longest() {
        return histogram.getMaxValue();
    }

    /** Returns a copy of the histogram, for a curve of all percentiles. */
    public Histogram histogram() {
        return histogram.copy();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Latencies latencies && latencies.histogram.equals(histogram);
    }

    @Override
    public int hashCode() {
        return histogram.hashCode();
    }

    @Override
    public String toString() {
        return count() + " (p50 " + percentile(50) + " ns, p99 " + percentile(99) + " ns)";
    }
}
