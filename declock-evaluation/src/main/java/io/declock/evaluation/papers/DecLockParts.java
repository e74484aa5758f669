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
import io.declock.simulation.LockSystem.HandOver;
import java.util.ArrayList;
import java.util.List;

/** DecLock's experiments on its own parts: figures 14 and 18. */
final class DecLockParts {
    private static final int BOUND = 4;
    private static final int CLIENTS = 256;
    private static final String FLAT = "no hierarchy";

    private static final Lock WITHOUT_HIERARCHY = new Lock(FLAT, DECLOCK_TF.system());
    private static final Lock TIMESTAMPS_TF = new Lock("timestamps, task-fair", DECLOCK_TF.system());
    private static final Lock TIMESTAMPS_PF = new Lock("timestamps, phase-fair", DECLOCK_PF.system());
    private static final Lock REMOTE_PREFER = Lock.decLock("remote-prefer", HandOver.REMOTE_PREFER);
    private static final Lock LOCAL_PREFER = Lock.decLock("local-prefer", HandOver.LOCAL_PREFER);
    private static final Lock LOCAL_BOUND = Lock.decLock("local-bound", HandOver.localBound(BOUND));
    private static final List<Lock> OTHERS = List.of(WITHOUT_HIERARCHY, REMOTE_PREFER, LOCAL_PREFER, LOCAL_BOUND);
    private static final List<Lock> HAND_OVERS =
            List.of(WITHOUT_HIERARCHY, REMOTE_PREFER, LOCAL_PREFER, LOCAL_BOUND, TIMESTAMPS_TF, TIMESTAMPS_PF);

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
                        "Choice between local and remote waiters",
                        Paper.DECLOCK,
                        "6.3, figure 14",
                        "The default load with no readers, half and 90% readers: latency of the operations under the most popular lock.",
                        List.of(
                                "The bound of the policy local-bound is missing in the text at hand; it is " + BOUND
                                        + " here.",
                                "Without a hierarchy each client is a compute node of its own, with an adapter of its own.",
                                "The latency is the operation's, not the acquisition's alone.")),
                size -> new Sweep(Lock.names(HAND_OVERS), size.of(0, 50, 90), (name, percent) -> {
                    Bench bench = Bench.decLock(Settings.DECLOCK.withReadShare(percent / 100));
                    return (name.equals(FLAT) ? bench.with(CLIENTS, 1) : bench)
                            .trial(Lock.named(HAND_OVERS, name), size);
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
                        new Finding(
                                "timestamps: median below that of another policy, at most",
                                Published.percentLess(66.7, "6.3"),
                                mostBelow(sweep, trials, Metric.HOT_MEDIAN)),
                        new Finding(
                                "timestamps: 99th percentile below that of another policy, at most",
                                Published.percentLess(70.8, "6.3"),
                                mostBelow(sweep, trials, Metric.HOT_P99)),
                        new Finding(
                                "local-prefer without readers: 99th percentile over that of timestamps, phase-fair",
                                Published.times(1, "6.3, figure 14: larger"),
                                sweep.first(trials, LOCAL_PREFER.name(), Metric.HOT_P99)
                                        / sweep.first(trials, TIMESTAMPS_PF.name(), Metric.HOT_P99))));
    }

    private static double mostBelow(Sweep sweep, Trials trials, Metric metric) {
        return OTHERS.stream()
                .mapToDouble(other -> Math.max(
                        sweep.largestReduction(trials, TIMESTAMPS_TF.name(), other.name(), metric),
                        sweep.largestReduction(trials, TIMESTAMPS_PF.name(), other.name(), metric)))
                .max()
                .orElse(Double.NaN);
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
