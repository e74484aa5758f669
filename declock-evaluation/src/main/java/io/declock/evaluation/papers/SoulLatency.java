// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CASLOCK;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.MCS;

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

/** Soul's latency of a lock together with its data, under one lock: its section 5.2. */
final class SoulLatency {
    /** 4 KB. */
    private static final int WORDS = 512;

    /** Between two operations; a client that has kept its line would take no time at all otherwise. */
    private static final long PAUSE = 1_000;

    private static final double[] NODES = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final int[] READ_PERCENT = {50, 95, 100};
    private static final Lock SOUL = Lock.soul(WORDS);
    private static final List<Lock> LOCKS = List.of(SOUL, CASLOCK, MCS, DECLOCK_PF);

    private SoulLatency() {}

    static Experiment experiment() {
        return new Sweeps(
                new About(
                        "soul-lock-and-data",
                        "A lock together with its data",
                        Paper.SOUL,
                        "5.2, figure 9",
                        "One client in each of up to 8 compute nodes takes one lock with 4 KB of data, for reading in half, 95% or all of the operations, and works on nothing else.",
                        List.of(
                                "The paper's other locks are built on cache coherence; here they are locks on verbs, and their holder moves the data by one READ or WRITE.",
                                "The paper's directory is a switch and the kernels of the compute nodes, with 5 to 10 µs for a message; here it is beside the memory node, 1 µs away.",
                                "The latency is the operation's, with the release.",
                                "A client pauses for 1 µs between operations.")),
                SoulLatency::sweeps,
                SoulLatency::conclude);
    }

    private static List<Sweep> sweeps(Size size) {
        List<Sweep> sweeps = new ArrayList<>();
        for (int percent : READ_PERCENT) {
            Settings settings = new Settings(1, 0, percent / 100.0, 1, WORDS, PAUSE);
            sweeps.add(new Sweep(Lock.names(LOCKS), size.of(NODES), (name, nodes) -> {
                Lock lock = Lock.named(LOCKS, name);
                return Bench.of(AdapterModel.CONNECT_X5, (int) nodes, 1)
                        .under(lock == SOUL ? settings.withVerbsInside(0).withObjectWords(1) : settings)
                        .trial(lock, size);
            }));
        }
        return sweeps;
    }

    private static Conclusions conclude(List<Sweep> sweeps, Trials trials) {
        List<Figure> figures = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        for (int i = 0; i < sweeps.size(); i++) {
            Sweep sweep = sweeps.get(i);
            String readers = READ_PERCENT[i] + "% readers";
            figures.add(sweep.figure(
                    trials,
                    "soul-" + READ_PERCENT[i],
                    "Lock and data, " + readers,
                    Axis.linear("compute nodes"),
                    Metric.MEAN,
                    false));
            double soul = sweep.last(trials, SOUL.name(), Metric.MEAN);
            findings.add(new Finding(
                            "Soul with 8 compute nodes, " + readers,
                            Published.size(150, "µs", "5.2: 100 to 200 µs"),
                            soul)
                    .because("A way is 1 µs here, and 5 to 10 µs with the software of the paper's compute nodes."));
            findings.add(new Finding(
                            "the fastest other lock over Soul with 8 compute nodes, " + readers,
                            Published.times(10, "5.2: one order of magnitude, of locks on cache coherence"),
                            fastestOther(sweep, trials) / soul)
                    .because("The other locks here are no locks on cache coherence: they need one or two verbs."));
        }
        return new Conclusions(figures, findings);
    }

    private static double fastestOther(Sweep sweep, Trials trials) {
        return LOCKS.stream()
                .filter(lock -> lock != SOUL)
                .mapToDouble(lock -> sweep.last(trials, lock.name(), Metric.MEAN))
                .min()
                .orElse(Double.NaN);
    }
}
