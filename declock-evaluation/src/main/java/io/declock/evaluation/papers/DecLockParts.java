// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CASLOCK;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.DSLR_PLUS;
import static io.declock.evaluation.papers.Lock.SHIFTLOCK;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
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
import java.util.ArrayList;
import java.util.List;

/** DecLock's experiments on its own parts: figure 18. */
final class DecLockParts {
    private static final double[] DISTANCES = {1, 2, 3, 4};
    private static final int[] INSIDE = {1, 4, 16};
    private static final List<Lock> AT_A_DISTANCE = List.of(CASLOCK, DSLR_PLUS, SHIFTLOCK, DECLOCK_PF);

    private static final String LONGER_WAYS =
            "It depends on how much longer the way of a message is than that of a verb: up to ten times, not four, make it 45.83% (sensitivity: message-3000). How much longer it is in the paper is an assumption here.";

    private static final String OVER_DSLR =
            "It depends on the time of the clients' processors: 3.16 with 0.5 µs for each verb, completion and message, 2.36 with 1 µs (sensitivity: processor-500, processor-1000).";

    private static final String OVER_CAS =
            "CASLock's clients gather at the most popular locks: the factor is 8.3 in 8.4 ms of virtual time and 12.57 in 40 ms. The paper measures for 2 s.";

    private DecLockParts() {}

    /** Returns the experiment under a variation. */
    static Sweeps heterogeneous(Variation variation) {
        return new Sweeps(
                new About(
                        "declock-figure-18",
                        "Messages that travel longer than verbs",
                        Paper.DECLOCK,
                        "appendix C, figure 18",
                        "The default load with 1, 4 and 16 verbs inside; a message between compute nodes travels up to four times as long as a verb.",
                        List.of("The text at hand does not say how far the paper goes; four times is an assumption.")),
                size -> distances(size, variation),
                DecLockParts::concludeHeterogeneous);
    }

    private static List<Sweep> distances(Size size, Variation variation) {
        List<Sweep> sweeps = new ArrayList<>();
        for (int inside : INSIDE) {
            Bench bench = variation.decLock(Settings.DECLOCK.withVerbsInside(inside));
            sweeps.add(variation.sweep(size, AT_A_DISTANCE, factor -> variation.atADistance(bench, factor), DISTANCES));
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
                                        loss(sweeps, trials, SHIFTLOCK.name()))
                                .because(LONGER_WAYS),
                        new Finding(
                                        "DecLock-PF over DSLR+ with one verb inside, at least",
                                        Published.times(2.79, "appendix C"),
                                        shortest.smallestRatio(trials, declock, DSLR_PLUS.name(), Metric.OPERATIONS))
                                .because(OVER_DSLR),
                        new Finding(
                                        "DecLock-PF over CASLock with one verb inside, at least",
                                        Published.times(27.18, "appendix C"),
                                        shortest.smallestRatio(trials, declock, CASLOCK.name(), Metric.OPERATIONS))
                                .because(OVER_CAS)));
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
