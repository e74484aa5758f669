// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.report;

import org.jspecify.annotations.Nullable;

/**
 * One number that the project has promised, and its measured value; or a number without a promise, which is shown among them.
 *
 * @param what description of the number
 * @param measured the measured value, or null if a run that it needs is missing
 * @param bound the promised bound, or NaN if nothing is promised
 * @param atLeast whether the number must be at least the bound; otherwise at most
 */
public record Goal(String what, @Nullable Double measured, double bound, boolean atLeast) {
    /** A number that must not be below a bound. */
    public static Goal atLeast(String what, @Nullable Double measured, double bound) {
        return new Goal(what, measured, bound, true);
    }

    /** A number that must not be above a bound. */
    public static Goal atMost(String what, @Nullable Double measured, double bound) {
        return new Goal(what, measured, bound, false);
    }

    /** A number of which nothing is promised. */
    public static Goal figure(String what, @Nullable Double measured) {
        return new Goal(what, measured, Double.NaN, true);
    }

    /** Returns whether the bound is kept; null if that is not known, or nothing is promised. */
    public @Nullable Boolean passed() {
        if (measured == null || measured.isNaN() || Double.isNaN(bound)) {
            return null;
        }
        return atLeast ? measured >= bound : measured <= bound;
    }

    /** Returns PASS, FAIL, NOT MEASURED, or FIGURE for a measured number of which nothing is promised. */
    public String verdict() {
        if (measured == null || measured.isNaN()) {
            return "NOT MEASURED";
        }
        Boolean passed = passed();
        return passed == null ? "FIGURE" : passed ? "PASS" : "FAIL";
    }

    @Override
    public String toString() {
        return verdict() + "  " + what + ": " + (measured == null ? "-" : TextTable.number(measured))
                + (Double.isNaN(bound) ? "" : promise());
    }

    private String promise() {
        return (atLeast ? " (at least " : " (at most ") + TextTable.number(bound) + ")";
    }
}
