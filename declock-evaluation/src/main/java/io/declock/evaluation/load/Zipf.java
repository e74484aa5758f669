// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

/**
 * Draws numbers from 0 on by Zipf's law, the most frequent one first, without a table, so that ten million numbers cost nothing: rejection-inversion (Hörmann and Derflinger,
 * <i>Rejection-inversion to generate variates from monotone discrete distributions</i>, ACM TOMACS 1996). Uses {@link StrictMath}, so that each machine draws the same.
 * Immutable.
 */
public final class Zipf {
    /** Below it, a power series is more exact than the quotient that it stands for. */
    private static final double SMALL = 1e-8;

    private final int count;
    private final double exponent;
    private final double areaOfFirst;
    private final double areaOfAll;
    private final double acceptedAtOnce;

    /**
     * Prepares.
     *
     * @param count how many numbers there are
     * @param exponent exponent of the law, 0 for equal shares
     * @throws IllegalArgumentException if there is no number, or the exponent is negative
     */
    public Zipf(int count, double exponent) {
        if (count < 1 || exponent < 0) {
            throw new IllegalArgumentException("Zipf's law needs a number, and no negative exponent: " + exponent);
        }
        this.count = count;
        this.exponent = exponent;
        this.areaOfFirst = area(1.5) - 1;
        this.areaOfAll = area(count + 0.5);
        this.acceptedAtOnce = 2 - whereAreaIs(area(2.5) - density(2));
    }

    /** Returns the next number. */
    public int next(Chance chance) {
        if (exponent == 0) {
            return (int) chance.below(count);
        }
        while (true) {
            double area = areaOfAll + chance.fraction() * (areaOfFirst - areaOfAll);
            double x = whereAreaIs(area);
            int rank = (int) Math.max(1, Math.min(count, Math.round(x)));
            if (rank - x <= acceptedAtOnce || area >= area(rank + 0.5) - density(rank)) {
                return rank - 1;
            }
        }
    }

    private double density(double x) {
        return StrictMath.exp(-exponent * StrictMath.log(x));
    }

    /** Returns the integral of the density from one on. */
    private double area(double x) {
        double log = StrictMath.log(x);
        return log * growth((1 - exponent) * log);
    }

    private double whereAreaIs(double area) {
        double t = Math.max(-1, area * (1 - exponent));
        return StrictMath.exp(shrinkage(t) * area);
    }

    private static double growth(double x) {
        return Math.abs(x) > SMALL ? StrictMath.expm1(x) / x : 1 + x / 2;
    }

    private static double shrinkage(double x) {
        return Math.abs(x) > SMALL ? StrictMath.log1p(x) / x : 1 - x / 2;
    }
}
