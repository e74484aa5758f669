// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.util.function.LongUnaryOperator;

/** Chooses lock names, uniformly or by Zipf's law. */
final class NameChooser {
    private static final long POINTS = 1L << 52;

    private final LongUnaryOperator below;
    private final int count;
    private final double[] cumulative;

    NameChooser(SimulatedWorld world, int count, double zipf) {
        this(world::below, count, weights(count, zipf));
    }

    /**
     * Makes one.
     *
     * @param below returns a random number below a bound
     * @param cumulative what {@link #weights} returns
     */
    NameChooser(LongUnaryOperator below, int count, double[] cumulative) {
        this.below = below;
        this.count = count;
        this.cumulative = cumulative;
    }

    /** Returns the cumulative weights of Zipf's law, nothing for names of equal popularity. */
    static double[] weights(int count, double zipf) {
        double[] weights = new double[zipf > 0 ? count : 0];
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            sum += 1 / StrictMath.pow(i + 1, zipf);
            weights[i] = sum;
        }
        return weights;
    }

    static String name(int number) {
        return "lock" + number;
    }

    int choose() {
        if (cumulative.length == 0) {
            return (int) below.applyAsLong(count);
        }
        double point = below.applyAsLong(POINTS) / (double) POINTS * cumulative[count - 1];
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (cumulative[middle] > point) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    boolean hasAfter(String name) {
        return number(name) < count - 1;
    }

    /** Chooses a name that comes later in the order in which several names are acquired. */
    int chooseAfter(String name) {
        int number = number(name);
        return number + 1 + (int) below.applyAsLong(count - number - 1L);
    }

    private static int number(String name) {
        return Integer.parseInt(name.substring(4));
    }
}
