// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a trial has measured. Immutable.
 *
 * @param values the values
 * @param slices operations in a second in each slice of the trial; empty unless the trial counts them
 * @param hash hash of all that happened in the trial; the same seed gives the same
 */
public record Measured(Map<Metric, Double> values, List<Double> slices, long hash) {
    /** Makes one without slices. */
    public Measured(Map<Metric, Double> values, long hash) {
        this(values, List.of(), hash);
    }

    /** Copies the values. */
    public Measured {
        values = Map.copyOf(values);
        slices = List.copyOf(slices);
    }

    /** Returns a copy with one more value. */
    public Measured with(Metric metric, double value) {
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.putAll(values);
        more.put(metric, value);
        return new Measured(more, slices, hash);
    }

    /**
     * Returns a value.
     *
     * @throws IllegalArgumentException if the trial has not measured it
     */
    public double get(Metric metric) {
        Double value = values.get(metric);
        if (value == null) {
            throw new IllegalArgumentException(metric + " was not measured, only " + values.keySet());
        }
        return value;
    }
}
