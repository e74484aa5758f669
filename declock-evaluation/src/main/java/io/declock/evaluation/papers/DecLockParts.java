// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CASLOCK;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.DECLOCK_TF;
import static io.declock.evaluation.papers.Lock.DSLR_PLUS;
import static io.declock.evaluation.papers.Lock.SHIFTLOCK;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Figure;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Published;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trials;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.simulation.AdapterModel;
import java.util.ArrayList;
import java.util.List;

/** DecLock's experiments on its own parts: figures 14 and 18. */
final class DecLockParts {
    private static final int CLIENTS = 256;
    private static final String FLAT = "no hierarchy";

    private static final Lock WITHOUT_HIERARCHY = new Lock(FLAT, DECLOCK_TF.system());
    private static final Lock TIMESTAMPS_TF = new Lock("timestamps, task-fair", DECLOCK_TF.system());
    private static final Lock TIMESTAMPS_PF = new Lock("timestamps, phase-fair", DECLOCK_PF.system());
    private static final List<Lock> HIERARCHIES = List.of(WITHOUT_HIERARCHY, TIMESTAMPS_TF, TIMESTAMPS_PF);

    private static final double[] DISTANCES = {1, 2, 3, 4};
    private static final int[] INSIDE = {1, 4, 16};
    private static final List<Lock> AT_A_DISTANCE = List.of(CASLOCK, DSLR_PLUS, SHIFTLOCK, DECLOCK_PF);

    private DecLockParts() {}

    static List<Experiment> all() {
        return List.of(hierarchy(), heterogeneous());
    }

    private static Experiment hierarchy() {
        return Sweeps.of(
                new About(
                        "declock-figure-14",
                        "With and without a hierarchy",
                        Paper.DECLOCK,
                        "6.3, figure 14",
                        "The default load with no readers, half and 90% readers: latency of the operations under the most popular lock.",
                        List.of(
                                "The paper's other policies, remote-prefer, local-prefer and local-bound, are not in this library, so the reductions of 66.7 and 70.8% are not compared.",
                                "Without a hierarchy each client is a compute node of its own, with an adapter of its own.",
                                "The latency is the operation's, not the acquisition's alone.")),
                size -> new Sweep(Lock.names(HIERARCHIES), size.of(0, 50, 90), (name, percent) -> {
                    Bench bench = Bench.decLock(Settings.DECLOCK.withReadShare(percent / 100));
                    return (name.equals(FLAT) ? bench.with(CLIENTS, 1) : bench)
                            .trial(Lock.named(HIERARCHIES, name), size);
                }),
                DecLockParts::concludeHierarchy);
    }

    private static Conclusions concludeHierarchy(Sweep sweep, Trials trials) {
        Axis readers = Axis.linear("readers, %");
        return new Conclusions(
                List.of(
                        sweep.figure(
                                trials,
                                "declock-14-median",
                                "Median under the most popular lock",
                                readers,
                                Metric.HOT_MEDIAN,
                                true),
                        sweep.figure(
                                trials,
                                "declock-14-p99",
                                "99th percentile under the most popular lock",
                                readers,
                                Metric.HOT_P99,
                                true)),
                List.of(
                        overTimestamps(sweep, trials, "median", Metric.HOT_MEDIAN),
                        overTimestamps(sweep, trials, "99th percentile", Metric.HOT_P99)));
    }

    private static Finding overTimestamps(Sweep sweep, Trials trials, String what, Metric metric) {
        return new Finding(
                "no hierarchy over timestamps, task-fair: " + what + ", at least",
                Published.larger("6.3, figure 14: larger for each share of readers"),
                sweep.smallestRatio(trials, FLAT, TIMESTAMPS_TF.name(), metric));
    }

    private static Experiment heterogeneous() {
        return new Sweeps(
                new About(
                        "declock-figure-18",
                        "Messages that travel longer than verbs",
                        Paper.DECLOCK,
                        "appendix C, figure 18",
                        "The default load with 1, 4 and 16 verbs inside; a message between compute nodes travels up to four times as long as a verb.",
                        List.of("The text at hand does not say how far the paper goes; four times is an assumption.")),
                DecLockParts::distances,
                DecLockParts::concludeHeterogeneous);
    }

    private static List<Sweep> distances(Size size) {
        List<Sweep> sweeps = new ArrayList<>();
        for (int inside : INSIDE) {
            Bench bench = Bench.decLock(Settings.DECLOCK.withVerbsInside(inside));
            sweeps.add(Bench.sweep(
                    size,
                    AT_A_DISTANCE,
                    factor -> bench.with(AdapterModel.CONNECT_X4.withPeerDistance(factor)),
                    DISTANCES));
        }
        return sweeps;
    }

    private static Conclusions concludeHeterogeneous(List<Sweep> sweeps, Trials trials) {
        List<Figure> figures = new ArrayList<>();
        for (int i = 0; i < sweeps.size(); i++) {
            figures.add(sweeps.get(i)
                    .throughput(
                            trials,
                            "declock-18-" + INSIDE[i],
                            INSIDE[i] + (INSIDE[i] == 1 ? " verb inside" : " verbs inside"),
                            Axis.linear("way of a message over way of a verb")));
        }
        Sweep shortest = sweeps.get(0);
        String declock = DECLOCK_PF.name();
        return new Conclusions(
                figures,
                List.of(
                        new Finding(
                                "DecLock-PF: loss, at most",
                                Published.size(14.7, "%", "appendix C"),
                                loss(sweeps, trials, declock)),
                        new Finding(
                                "ShiftLock: loss, at most",
                                Published.size(49.6, "%", "appendix C"),
                                loss(sweeps, trials, SHIFTLOCK.name())),
                        new Finding(
                                "DecLock-PF over DSLR+ with one verb inside, at least",
                                Published.times(2.79, "appendix C"),
                                shortest.smallestRatio(trials, declock, DSLR_PLUS.name(), Metric.OPERATIONS)),
                        new Finding(
                                "DecLock-PF over CASLock with one verb inside, at least",
                                Published.times(27.18, "appendix C"),
                                shortest.smallestRatio(trials, declock, CASLOCK.name(), Metric.OPERATIONS))));
    }

    private static double loss(List<Sweep> sweeps, Trials trials, String lock) {
        return sweeps.stream()
                .mapToDouble(sweep -> 100
                        * (1
                                - sweep.last(trials, lock, Metric.OPERATIONS)
                                        / sweep.first(trials, lock, Metric.OPERATIONS)))
                .max()
                .orElse(Double.NaN);
    }
}
