// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * A figure: lines over an axis of values that were chosen, or bars if these are names.
 *
 * @param id name of its file
 * @param title what it shows
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param series its lines
 */
public record Figure(String id, String title, Axis x, Axis y, List<Series> series) {
    /** Copies the lines. */
    public Figure {
        series = List.copyOf(series);
    }

    /**
     * An axis.
     *
     * @param label what it shows, with the unit
     * @param logarithmic whether equal ratios are equally long on it
     * @param names if not empty, what the values 0, 1, … stand for
     */
    public record Axis(String label, boolean logarithmic, List<String> names) {
        /** Copies the names. */
        public Axis {
            names = List.copyOf(names);
        }

        /** An axis of equal differences. */
        public static Axis linear(String label) {
            return new Axis(label, false, List.of());
        }

        /** An axis of equal ratios. */
        public static Axis logarithmic(String label) {
            return new Axis(label, true, List.of());
        }

        /** An axis of names. */
        public static Axis names(String label, List<String> names) {
            return new Axis(label, false, names);
        }
    }
}
