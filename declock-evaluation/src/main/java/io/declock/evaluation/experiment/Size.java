// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.Arrays;
import java.util.List;

/**
 * How large experiments are.
 *
 * @param time factor of all virtual times that are measured
 * @param thin whether only the ends and the middle of each sweep are run
 */
public record Size(double time, boolean thin) {
    /** For each build: minutes. */
    public static final Size SMOKE = new Size(0.05, true);

    /** For a report: about a quarter of an hour on two cores. */
    public static final Size FULL = new Size(1, false);

    /** Returns it with all virtual times multiplied. */
    public Size times(double factor) {
        return new Size(time * factor, thin);
    }

    /** Returns a virtual time, in nanoseconds, but at least 100 microseconds. */
    public long nanos(double millis) {
        return Math.max(100_000, Math.round(millis * 1e6 * time));
    }

    /** Returns the values of a sweep that are run, in their order. */
    public List<Double> of(double... values) {
        if (!thin || values.length <= 3) {
            return Arrays.stream(values).boxed().toList();
        }
        return List.of(values[0], values[values.length / 2], values[values.length - 1]);
    }
}
