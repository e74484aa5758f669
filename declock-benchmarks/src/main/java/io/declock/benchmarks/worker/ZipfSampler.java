// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws numbers from 0 on with Zipf's distribution, by bisecting its cumulative sums. Immutable. */
public final class ZipfSampler {
    private final double[] cumulative;

    /**
     * Computes the sums.
     *
     * @param exponent exponent of the distribution, 0 for uniform
     */
    public ZipfSampler(int count, double exponent) {
        cumulative = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += 1 / Math.pow(i + 1.0, exponent);
            cumulative[i] = sum;
        }
        for (int i = 0; i < count; i++) {
            cumulative[i] /= sum;
        }
    }

    /** Returns the next number. */
    public int next(SplittableRandom random) {
        if (cumulative.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(cumulative, random.nextDouble());
        return Math.min(cumulative.length - 1, found < 0 ? -found - 1 : found);
    }
}
