// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

/**
 * A value that a paper prints in words or in a table.
 *
 * @param value the value
 * @param unit its unit, such as "×" or "%"
 * @param claim what kind of statement it is
 * @param where the section, figure or table
 */
public record Published(double value, String unit, Claim claim, String where) {
    /** A factor. */
    public static Published times(double value, String where) {
        return new Published(value, "×", Claim.TIMES, where);
    }

    /** A factor that is larger than one, and is not printed. */
    public static Published larger(String where) {
        return new Published(1, "×", Claim.LARGER, where);
    }

    /** A reduction in percent. */
    public static Published percentLess(double value, String where) {
        return new Published(value, "% less", Claim.PERCENT_LESS, where);
    }

    /** A size. */
    public static Published size(double value, String unit, String where) {
        return new Published(value, unit, Claim.SIZE, where);
    }

    /** An upper bound. */
    public static Published atMost(double value, String unit, String where) {
        return new Published(value, unit, Claim.AT_MOST, where);
    }

    /** A ratio of one. */
    public static Published equal(String where) {
        return new Published(1, "×", Claim.EQUAL, where);
    }
}
