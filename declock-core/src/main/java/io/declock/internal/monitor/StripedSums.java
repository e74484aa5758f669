// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A few sums to which many threads add. The cells that one thread adds to are adjacent, because one lock operation adds to some ten sums:
 * with a {@link java.util.concurrent.atomic.LongAdder} for each sum, it would touch two or three cache lines per sum. Threads share a
 * stripe by their ids, so an addition is atomic but seldom contended. Thread-safe.
 */
public final class StripedSums {
    /** Two cache lines, because processors fetch them in pairs. */
    private static final int LINE = 16;

    private static final int MOST_STRIPES = 16;

    private final AtomicLongArray cells;
    private final int width;
    private final int mask;

    /**
     * Makes sums at zero.
     *
     * @param count number of sums, which are numbered from 0
     */
    public StripedSums(int count) {
        int processors = Math.min(MOST_STRIPES, Runtime.getRuntime().availableProcessors());
        int stripes = Integer.highestOneBit(Math.max(1, 2 * processors - 1));
        this.width = (count + LINE - 1) / LINE * LINE;
        this.mask = stripes - 1;
        // One line before the first stripe keeps it away from the array's header, which every addition reads.
        this.cells = new AtomicLongArray(LINE + stripes * width);
    }

    /** Adds to one sum. */
    public void add(int index, long change) {
        int stripe = (int) Thread.currentThread().getId() & mask;
        cells.getAndAdd(LINE + stripe * width + index, change);
    }

    /** Returns one sum; concurrent additions may be missing. */
    public long sum(int index) {
        long sum = 0;
        for (int at = LINE + index; at < cells.length(); at += width) {
            sum += cells.get(at);
        }
        return sum;
    }
}
