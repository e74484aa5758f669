// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Series.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleBiFunction;

/**
 * Trials of several subjects, mostly locks, at several values of one parameter. Immutable.
 *
 * @param subjects names of the subjects, in the order of the legend
 * @param values values of the parameter, in the order of the axis
 * @param cell the trial of a subject at a value
 */
public record Sweep(List<String> subjects, List<Double> values, Cell cell) {
    /** Makes the trial of a subject at a value. */
    @FunctionalInterface
    public interface Cell {
        /** Makes the trial. */
        Trial at(String subject, double value);
    }

    /** Copies subjects and values. */
    public Sweep {
        subjects = List.copyOf(subjects);
        values = List.copyOf(values);
    }

    /** Returns all trials. */
    public List<Trial> trials() {
        List<Trial> all = new ArrayList<>();
        for (String subject : subjects) {
            values.forEach(value -> all.add(cell.at(subject, value)));
        }
        return all;
    }

    /** Returns what a subject has reached at a value. */
    public double at(Trials trials, String subject, double value, Metric metric) {
        return trials.of(cell.at(subject, value).id()).get(metric);
    }

    /** Returns what a subject has reached at the first value. */
    public double first(Trials trials, String subject, Metric metric) {
        return at(trials, subject, values.get(0), metric);
    }

    /** Returns what a subject has reached at the last value. */
    public double last(Trials trials, String subject, Metric metric) {
        return at(trials, subject, values.get(values.size() - 1), metric);
    }

    /** Returns the most that a subject has reached. */
    public double most(Trials trials, String subject, Metric metric) {
        return values.stream()
                .mapToDouble(value -> at(trials, subject, value, metric))
                .max()
                .orElse(Double.NaN);
    }

    /** Returns the largest ratio of one subject's value to another's at the same value of the parameter. */
    public double largestRatio(Trials trials, String dividend, String divisor, Metric metric) {
        return values.stream()
                .mapToDouble(value -> at(trials, dividend, value, metric) / at(trials, divisor, value, metric))
                .max()
                .orElse(Double.NaN);
    }

    /** Returns the smallest ratio of one subject's value to another's at the same value of the parameter. */
    public double smallestRatio(Trials trials, String dividend, String divisor, Metric metric) {
        return values.stream()
                .mapToDouble(value -> at(trials, dividend, value, metric) / at(trials, divisor, value, metric))
                .min()
                .orElse(Double.NaN);
    }

    /** Returns the sweep with those values of the parameter only that are in a range. */
    public Sweep between(double least, double most) {
        return new Sweep(
                subjects,
                values.stream().filter(value -> value >= least && value <= most).toList(),
                cell);
    }

    /** Returns the sweep with those values of the parameter only that are chosen. */
    public Sweep only(List<Double> chosen) {
        return new Sweep(subjects, values.stream().filter(chosen::contains).toList(), cell);
    }

    /** Returns by how many percent a subject's value is below another's where that is most. */
    public double largestReduction(Trials trials, String less, String more, Metric metric) {
        return 100 * (1 - 1 / largestRatio(trials, more, less, metric));
    }

    /** Returns a line for each subject. */
    public List<Series> series(Trials trials, Metric metric, double factor) {
        return series(trials, (trial, value) -> trial.get(metric) * factor);
    }

    /** Returns a line for each subject, of values that are computed from what a trial has measured and the parameter. */
    public List<Series> series(Trials trials, ToDoubleBiFunction<Measured, Double> what) {
        List<Series> lines = new ArrayList<>();
        for (String subject : subjects) {
            lines.add(new Series(
                    subject,
                    values.stream()
                            .map(value -> new Point(
                                    value,
                                    what.applyAsDouble(
                                            trials.of(cell.at(subject, value).id()), value)))
                            .toList()));
        }
        return lines;
    }

    /** Returns a figure of millions of operations in a second. */
    public Figure throughput(Trials trials, String id, String title, Axis x) {
        return new Figure(id, title, x, Axis.linear("million operations/s"), series(trials, Metric.OPERATIONS, 1e-6));
    }

    /** Returns a figure of a metric in its unit. */
    public Figure figure(Trials trials, String id, String title, Axis x, Metric metric, boolean logarithmic) {
        String unit = metric.unit().isEmpty() ? "" : ", " + metric.unit();
        return new Figure(
                id, title, x, new Axis(metric.label() + unit, logarithmic, List.of()), series(trials, metric, 1));
    }
}
