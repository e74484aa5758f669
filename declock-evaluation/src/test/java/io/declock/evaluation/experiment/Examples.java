// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import io.declock.evaluation.experiment.Figure.Axis;
import java.util.List;
import java.util.Map;

/** Experiments of which the trials only calculate. */
public final class Examples {
    private Examples() {}

    /** An experiment of two locks at three values; what its trials return depends on the seed. */
    public static Experiment experiment(String id) {
        return new Calculated(id);
    }

    /** An experiment of which the last trial throws. */
    public static Experiment failing(String id) {
        return new Calculated(id) {
            @Override
            Measured measure(String subject, double value, long seed) {
                if (value == 4) {
                    throw new IllegalStateException("no virtual time left");
                }
                return super.measure(subject, value, seed);
            }
        };
    }

    private static class Calculated implements Experiment {
        private final String id;

        Calculated(String id) {
            this.id = id;
        }

        Measured measure(String subject, double value, long seed) {
            double operations = (subject.equals("slow") ? 1e6 : 4e6) / value + seed;
            return new Measured(Map.of(Metric.OPERATIONS, operations, Metric.P99, 1e9 / operations), seed);
        }

        private Sweep sweep(Size size) {
            return new Sweep(
                    List.of("slow", "fast & <good>"),
                    size.of(1, 2, 4),
                    (subject, value) ->
                            new Trial(id + "/" + subject + "/" + value, seed -> measure(subject, value, seed)));
        }

        @Override
        public About about() {
            return new About(
                    id, "An example", Paper.DECLOCK, "figure 0", "Nothing is run.", List.of("Nothing is real."));
        }

        @Override
        public List<Trial> trials(Size size) {
            return sweep(size).trials();
        }

        @Override
        public Conclusions conclude(Size size, Trials trials) {
            Sweep sweep = sweep(size);
            return new Conclusions(
                    List.of(
                            sweep.throughput(trials, id + "-lines", "Throughput", Axis.logarithmic("value")),
                            new Figure(
                                    id + "-bars",
                                    "Bars",
                                    Axis.names("name", List.of("a", "b")),
                                    Axis.linear("size"),
                                    List.of(new Series(
                                            "one", List.of(new Series.Point(0, 1), new Series.Point(1, 3)))))),
                    List.of(
                            new Finding(
                                    "fast over slow",
                                    Published.times(4, "section 0"),
                                    sweep.largestRatio(trials, "fast & <good>", "slow", Metric.OPERATIONS)),
                            new Finding("slow", Published.size(7, "M/s", "section 0"), 1).because("It is an example.")),
                    List.of(new Table(
                            "Side by side",
                            List.of("width & height", "depth"),
                            List.of(
                                    new Table.Row("with", List.of(1.5, 20.0)),
                                    new Table.Row("without", List.of(2.0, 0.25))))));
        }
    }
}
