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
import io.declock.simulation.AdapterModel.Processor;
import io.declock.simulation.PaperExperiment;
import io.declock.simulation.PaperExperiment.Result;
import io.declock.simulation.PaperExperiment.Setting;
import io.declock.simulation.ResetExperiment;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/** DecLock's experiments on what is rare: repeated READs (figure 15, left) and resets (figure 16, left). */
final class DecLockUpkeep {
    private static final double MICRO = 1e-3;
    private static final double WINDOW_MILLIS = 40;
    /** Each operation of the paper fetches or updates its object (6.1), so one verb is the least. */
    private static final double[] INSIDE = {1, 2, 4, 8, 16, 32};

    private static final double[] MEMBERS = {8, 16, 32, 64, 128, 256};
    /** Clients of one compute node, with which the paper's resets are taken to begin. */
    private static final double FEWEST = 32;
    /** Fitted: 437.43 µs for two messages of each of 224 clients. */
    private static final long MESSAGE_NANOS = 976;

    private static final String AS_PRINTED = "each release reads";
    private static final String ADAPTIVE = "adaptive (default)";
    private static final String FREE_MESSAGES = "messages take no processor's time";
    private static final String MESSAGES = "a message takes 0.98 µs";

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
                        "A lock that every member has used is reset while it is free. Its initiator sends a message to each member and waits for each answer.",
                        List.of(
                                "The paper's members are clients. This library's are compute nodes, so it has 8 where the paper has 256.",
                                "The paper does not print the numbers of clients; 32 and 256 are taken, those of one compute node and of eight (6.2).",
                                "A processor sends or receives a message in " + MESSAGE_NANOS
                                        + " ns. That is fitted to the growth from 83.29 to 520.72 µs, two messages for each of 224 more clients, so the value of 520.72 µs is not compared.")),
                size -> new Sweep(
                        List.of(FREE_MESSAGES, MESSAGES),
                        DoubleStream.of(MEMBERS).boxed().toList(),
                        DecLockUpkeep::resetTrial),
                DecLockUpkeep::concludeResets);
    }

    private static Trial resetTrial(String name, double members) {
        long nanos = name.equals(MESSAGES) ? MESSAGE_NANOS : 0;
        return new Trial("reset/" + (int) members + "/" + nanos, seed -> {
            long took = ResetExperiment.run((int) members, new Processor(1, 0, 0, nanos, nanos, 0))
                    .reset();
            return new Measured(Map.of(Metric.DURATION, took * MICRO), took);
        });
    }

    private static Conclusions concludeResets(Sweep sweep, Trials trials) {
        return new Conclusions(
                List.of(sweep.figure(
                        trials,
                        "declock-16",
                        "Time of a reset",
                        Axis.logarithmic("members that are signalled"),
                        Metric.DURATION,
                        true)),
                List.of(new Finding(
                        "reset with 32 members",
                        Published.size(83.29, "µs", "6.6, with the fewest clients"),
                        sweep.at(trials, MESSAGES, FEWEST, Metric.DURATION))));
    }
}
