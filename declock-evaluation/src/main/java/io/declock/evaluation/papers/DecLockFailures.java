// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.DECLOCK_TF;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Figure;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Published;
import io.declock.evaluation.experiment.Series;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Table;
import io.declock.evaluation.experiment.Trials;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.simulation.ModelRun.Failures;
import java.util.ArrayList;
import java.util.List;

/** Throughput while a compute node and the memory node fail: figure 16 (right) of DecLock's paper. */
final class DecLockFailures {
    private static final int NODES = 8;
    private static final double LOW = 2;
    private static final double HIGH = 32;
    private static final String LOCK = DECLOCK_TF.name();

    private static final long MILLI = 1_000_000;
    private static final long SLICE = MILLI;
    private static final long WARM_UP = 10;
    private static final long LEASE = 20;
    private static final long NODE_DIES = 40;
    private static final long NODE_IS_GONE = 90;
    private static final long MEMORY_DIES = 130;
    private static final long MEMORY_IS_BACK = 135;
    private static final long SERVES_AGAIN = 190;
    private static final long END = 230;
    /** A slice counts as one in which the locks work again if it has that share of the operations. */
    private static final double WORKS = 0.5;

    private DecLockFailures() {}

    static Experiment experiment() {
        return Sweeps.of(
                new About(
                        "declock-figure-16-failures",
                        "Throughput while nodes fail",
                        Paper.DECLOCK,
                        "6.7, figure 16 (right)",
                        "The default load with 16 and with 256 clients; one of 8 compute nodes dies at 40 ms, and the memory node at 130 ms for 5 ms.",
                        List.of(
                                "A lease is 20 ms, much shorter than the library's default, so that a run ends within a quarter of a virtual second. What a dead compute node held is free after its lease.",
                                "The paper's clients share cores: two for each of one or of 16.",
                                "The paper prints neither how long a compute node's failure takes to be noticed nor how long its memory node was down.",
                                "The memory node comes back with empty memory and waits for the holds of its former life; verbs on data wait until it is back.")),
                size -> new Sweep(
                        List.of(LOCK),
                        List.of(LOW, HIGH),
                        (name, clients) -> Bench.decLock(Settings.DECLOCK)
                                .with(NODES, (int) clients)
                                .lasting(WARM_UP, END - WARM_UP)
                                .with(new Failures(
                                        LEASE * MILLI,
                                        NODE_DIES * MILLI,
                                        MEMORY_DIES * MILLI,
                                        MEMORY_IS_BACK * MILLI,
                                        SLICE))
                                .trial(DECLOCK_TF, Size.FULL)),
                DecLockFailures::conclude);
    }

    private static Conclusions conclude(Sweep sweep, Trials trials) {
        List<Double> low = slices(sweep, trials, LOW);
        List<Double> high = slices(sweep, trials, HIGH);
        return new Conclusions(
                List.of(figure(low, high)),
                List.of(
                        new Finding(
                                "16 clients: throughput after a compute node has failed",
                                Published.size(88, "%", "6.7"),
                                100 * mean(low, NODE_IS_GONE, MEMORY_DIES) / before(low)),
                        new Finding(
                                "256 clients: throughput after a compute node has failed over before",
                                Published.equal("6.7: unchanged"),
                                mean(high, NODE_IS_GONE, MEMORY_DIES) / before(high)),
                        new Finding(
                                "operations a second while the memory node is down, at most",
                                Published.atMost(0, "", "6.7: 0 operations"),
                                Math.max(
                                        mean(low, MEMORY_DIES + 1, MEMORY_IS_BACK),
                                        mean(high, MEMORY_DIES + 1, MEMORY_IS_BACK)))),
                List.of(new Table(
                        "Throughput, and how long it is below half of that before",
                        List.of(
                                "million operations/s before",
                                "least after the compute node's failure",
                                "below half, ms",
                                "after that",
                                "below half around the memory node's failure, ms",
                                "at the end"),
                        List.of(row("16 clients", low), row("256 clients", high)))));
    }

    private static List<Double> slices(Sweep sweep, Trials trials, double clients) {
        return trials.of(sweep.cell().at(LOCK, clients).id()).slices();
    }

    private static double before(List<Double> slices) {
        return mean(slices, WARM_UP, NODE_DIES);
    }

    private static double mean(List<Double> slices, long from, long to) {
        return slices.subList((int) from, (int) to).stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(Double.NaN);
    }

    private static Table.Row row(String name, List<Double> slices) {
        return new Table.Row(
                name,
                List.of(
                        before(slices) * 1e-6,
                        slices.subList((int) NODE_DIES, (int) MEMORY_DIES).stream()
                                        .mapToDouble(Double::doubleValue)
                                        .min()
                                        .orElse(Double.NaN)
                                * 1e-6,
                        below(slices, NODE_DIES, MEMORY_DIES),
                        mean(slices, NODE_IS_GONE, MEMORY_DIES) * 1e-6,
                        below(slices, MEMORY_DIES, END),
                        mean(slices, SERVES_AGAIN, END) * 1e-6));
    }

    private static double below(List<Double> slices, long from, long to) {
        double enough = WORKS * before(slices);
        return slices.subList((int) from, (int) to).stream()
                .filter(slice -> slice < enough)
                .count();
    }

    private static Figure figure(List<Double> low, List<Double> high) {
        return new Figure(
                "declock-16-failures",
                "Throughput while nodes fail",
                Axis.linear("ms"),
                Axis.linear("million operations/s"),
                List.of(new Series("16 clients", points(low)), new Series("256 clients", points(high))));
    }

    private static List<Series.Point> points(List<Double> slices) {
        List<Series.Point> points = new ArrayList<>();
        for (int i = 0; i < slices.size(); i++) {
            points.add(new Series.Point(i, slices.get(i) * 1e-6));
        }
        return points;
    }
}
