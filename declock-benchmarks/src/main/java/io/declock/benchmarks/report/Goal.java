// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.report;

import org.jspecify.annotations.Nullable;

/**
 * One number that the project has promised, and its measured value.
 *
 * @param what description of the number
 * @param measured the measured value, or null if a run that it needs is missing
 * @param bound the promised bound
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

    /** Returns whether the bound is kept; null if that is not known. */
    public @Nullable Boolean passed() {
        if (measured == null || measured.isNaN()) {
            return null;
        }
        return atLeast ? measured >= bound : measured <= bound;
    }

    /** Returns PASS, FAIL, or NOT MEASURED. */
    public String verdict() {
        Boolean passed = passed();
        return passed == null ? "NOT MEASURED" : passed ? "PASS" : "FAIL";
    }

    @Override
    public String toString() {
        return verdict() + "  " + what + ": " + (measured == null ? "-" : TextTable.number(measured))
                + (atLeast ? " (at least " : " (at most ") + TextTable.number(bound) + ")";
    }
}
