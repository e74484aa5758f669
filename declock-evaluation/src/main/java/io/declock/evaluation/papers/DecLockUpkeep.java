// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.FairnessPolicy;
import io.declock.ReleaseRead;
import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Measured;
import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Published;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.experiment.Trials;
import io.declock.simulation.PaperExperiment;
import io.declock.simulation.PaperExperiment.Result;
import io.declock.simulation.PaperExperiment.Setting;
import io.declock.simulation.ResetExperiment;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** DecLock's experiments on what is rare: repeated READs (figure 15, left) and resets (figure 16, left). */
final class DecLockUpkeep {
    private static final double MICRO = 1e-3;
    private static final double WINDOW_MILLIS = 40;
    /** Each operation of the paper fetches or updates its object (6.1), so one verb is the least. */
    private static final double[] INSIDE = {1, 2, 4, 8, 16, 32};

    private static final double[] NODES = {4, 8, 16, 32, 64, 128};
    private static final String AS_PRINTED = "each release reads";
    private static final String ADAPTIVE = "adaptive (default)";
    private static final String RESET = "DecLock";

    private DecLockUpkeep() {}

    static List<Experiment> all() {
        return List.of(refetches(), resets());
    }

    private static Experiment refetches() {
        return Sweeps.of(
                new About(
                        "declock-figure-15",
                        "READs that are repeated",
                        Paper.DECLOCK,
                        "6.4, figure 15 (left)",
                        "The default load; varied: the verbs inside, one at least, because each operation of the paper fetches or updates its object (6.1). A release repeats its READ of the queue while an entry is not filled.",
                        List.of(
                                "Without a verb inside, a hold is shorter than the time in which a waiter fills its entry, which is that of its FAA and its WRITE: 0.057 READs are repeated for each release then, and 0.0325 with this library's default.")),
                size -> new Sweep(
                        List.of(AS_PRINTED, ADAPTIVE),
                        size.of(INSIDE),
                        (name, inside) -> refetchTrial(name, (int) inside, size)),
                DecLockUpkeep::concludeRefetches);
    }

    private static Trial refetchTrial(String name, int inside, Size size) {
        Setting base = Setting.DEFAULT.with(Setting.DEFAULT.readShare(), inside);
        Setting setting = base.with(
                        FairnessPolicy.TASK_FAIR,
                        name.equals(ADAPTIVE),
                        name.equals(ADAPTIVE) ? ReleaseRead.ADAPTIVE : ReleaseRead.ALWAYS)
                .lasting(size.nanos(WINDOW_MILLIS));
        return new Trial("refetches/" + setting, seed -> {
            Result result = PaperExperiment.run(seed, setting);
            return new Measured(
                    Map.of(
                            Metric.REFETCHES, result.refetchesPerRelease(),
                            Metric.ACQUIRE_VERBS, result.acquireOperationsPerRemote(),
                            Metric.RESETS, result.resetOperations() / (double) Math.max(1, result.acquisitions())),
                    result.hash());
        });
    }

    private static Conclusions concludeRefetches(Sweep sweep, Trials trials) {
        Axis inside = Axis.linear("verbs inside");
        return new Conclusions(
                List.of(sweep.figure(trials, "declock-15", "READs that are repeated", inside, Metric.REFETCHES, false)),
                List.of(
                        new Finding(
                                "each release reads, as in the paper: repeated READs for each release, at most",
                                Published.size(0.018, "", "6.4"),
                                sweep.most(trials, AS_PRINTED, Metric.REFETCHES)),
                        new Finding(
                                "this library's default: repeated READs for each release, at most",
                                Published.atMost(0.018, "", "6.4"),
                                sweep.most(trials, ADAPTIVE, Metric.REFETCHES)),
                        new Finding(
                                "repeated READs with one verb inside over those with 32",
                                Published.larger("6.4: the fewer, the longer the critical section"),
                                sweep.first(trials, AS_PRINTED, Metric.REFETCHES)
                                        / sweep.last(trials, AS_PRINTED, Metric.REFETCHES)),
                        new Finding(
                                "resets: verbs for each acquisition, at most",
                                Published.atMost(0.000014, "", "6.4: 0.0014% of the acquisitions are reset"),
                                sweep.most(trials, AS_PRINTED, Metric.RESETS))));
    }

    private static Experiment resets() {
        return Sweeps.of(
                new About(
                        "declock-figure-16",
                        "Resets",
                        Paper.DECLOCK,
                        "6.6, figure 16 (left)",
                        "A lock that every compute node has used is reset while it is free.",
                        List.of(
                                "The paper counts clients, of which its initiator signals each; here are compute nodes, of which it signals one member each.",
                                "A message costs its sender nothing in this model.")),
                size -> new Sweep(List.of(RESET), size.of(NODES), DecLockUpkeep::resetTrial),
                DecLockUpkeep::concludeResets);
    }

    private static Trial resetTrial(String name, double nodes) {
        return new Trial("reset/" + (int) nodes, seed -> {
            ResetExperiment.Result result = ResetExperiment.run((int) nodes, Duration.ZERO, false);
            return new Measured(Map.of(Metric.DURATION, result.reset() * MICRO), result.reset());
        });
    }

    private static Conclusions concludeResets(Sweep sweep, Trials trials) {
        String reason =
                "The paper's initiator sends a signal to each client and waits for each answer, and its time grows with their number. Here it signals one member of each compute node, and a message costs its sender no time in this model.";
        return new Conclusions(
                List.of(sweep.figure(
                        trials,
                        "declock-16",
                        "Time of a reset",
                        Axis.logarithmic("compute nodes"),
                        Metric.DURATION,
                        false)),
                List.of(
                        new Finding(
                                        "reset with the fewest clients or nodes",
                                        Published.size(83.29, "µs", "6.6"),
                                        sweep.first(trials, RESET, Metric.DURATION))
                                .because(reason),
                        new Finding(
                                        "reset with the most clients or nodes",
                                        Published.size(520.72, "µs", "6.6"),
                                        sweep.last(trials, RESET, Metric.DURATION))
                                .because(reason)));
    }
}
