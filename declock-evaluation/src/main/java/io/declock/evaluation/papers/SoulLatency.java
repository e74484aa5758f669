// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CASLOCK;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.MCS;

import io.declock.evaluation.coherence.CoherentLocks;
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
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.experiment.Trials;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.protocols.application.Application;
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

    /** The paper (1) has 5 to 10 µs between the caches of disaggregated memory. */
    private static final double SOFTWARE_MICROS = 7.5;

    private static final double[] MESSAGE_MICROS = {1, 2.5, 5, 7.5, 10};
    private static final int MICRO = 1_000;

    private static final Lock SOUL = Lock.soul(WORDS);
    private static final List<Lock> ON_VERBS = List.of(CASLOCK, MCS, DECLOCK_PF);
    private static final String COUNTER = "one word (Pthread)";
    private static final String QUEUE = "MCS";
    private static final String PER_CLIENT = "a word for each reader (Percpu)";
    private static final List<String> ON_LINES = List.of(SOUL.name(), COUNTER, QUEUE, PER_CLIENT);

    private static final String SIX_TRANSACTIONS =
            "MCS needs five transactions for a hand-over, of which three are on the critical path, says the paper (2.2), and one for the data. Soul needs one. So they differ by a factor of six, if a transaction takes as long for both, as here, and a tenfold latency needs transactions that are slower than Soul's. Here an operation takes MCS 74 µs and Soul 21 µs, with half readers and 8 compute nodes. What a transaction of the paper's system costs without Soul's queue the paper does not print.";

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
                                "The locks that the paper compares with are built on cache coherence. Here they load and store lines of Soul, each of which is taken for one access and given back at once, so that they profit from Soul's queue of a line. The paper's lock service is not here.",
                                "The paper's directory is a switch and the kernels of the compute nodes, with 5 to 10 µs from cache to cache; here it is beside the memory node, and a message takes "
                                        + SOFTWARE_MICROS + " µs.",
                                "The latency is that of lock and data, of the operations for which a line came from another place: the paper's is that between compute nodes.",
                                "A client pauses for 1 µs between operations, and looks at a word that it waits for each 1 µs.",
                                "Locks on verbs, whose holder moves the data by one READ or WRITE, are in figures of their own, with messages of 1 µs, and with the release in their latency.")),
                SoulLatency::sweeps,
                SoulLatency::conclude);
    }

    private static List<Sweep> sweeps(Size size) {
        List<Sweep> sweeps = new ArrayList<>();
        for (int percent : READ_PERCENT) {
            sweeps.add(new Sweep(
                    ON_LINES,
                    size.of(NODES),
                    (name, nodes) -> onLines(name, (int) nodes, percent, SOFTWARE_MICROS, size)));
        }
        for (int percent : READ_PERCENT) {
            sweeps.add(onVerbs(percent, size));
        }
        sweeps.add(new Sweep(
                List.of("50", "95"),
                size.of(MESSAGE_MICROS),
                (percent, micros) ->
                        onLines(SOUL.name(), (int) NODES[NODES.length - 1], Integer.parseInt(percent), micros, size)));
        return sweeps;
    }

    private static Trial onLines(String name, int nodes, int percent, double messageMicros, Size size) {
        AdapterModel adapters = AdapterModel.CONNECT_X5.withMessageOneWay(Math.round(messageMicros * MICRO));
        return Bench.of(adapters, nodes, 1)
                .lasting(20, 400)
                .under("lines/" + name + "/" + percent, () -> coherent(name, nodes, percent / 100.0))
                .trial(SOUL, size);
    }

    private static Application coherent(String name, int nodes, double readShare) {
        return switch (name) {
            case COUNTER -> CoherentLocks.counter(nodes, readShare, PAUSE);
            case QUEUE -> CoherentLocks.mcs(nodes, readShare, PAUSE);
            case PER_CLIENT -> CoherentLocks.perClient(nodes, readShare, PAUSE);
            default -> CoherentLocks.souls(nodes, readShare, PAUSE);
        };
    }

    private static Sweep onVerbs(int percent, Size size) {
        Settings settings = new Settings(1, 0, percent / 100.0, 1, WORDS, PAUSE);
        return Bench.sweep(
                size,
                ON_VERBS,
                nodes -> Bench.of(AdapterModel.CONNECT_X5, (int) nodes, 1).under(settings),
                NODES);
    }

    private static Conclusions conclude(List<Sweep> sweeps, Trials trials) {
        List<Figure> figures = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        Axis nodes = Axis.linear("compute nodes");
        for (int i = 0; i < READ_PERCENT.length; i++) {
            String readers = READ_PERCENT[i] + "% readers";
            Sweep lines = sweeps.get(i);
            Sweep verbs = sweeps.get(READ_PERCENT.length + i);
            Metric metric = READ_PERCENT[i] == 100 ? Metric.MEAN : Metric.MEAN_OF_SECOND_KIND;
            figures.add(lines.figure(
                    trials,
                    "soul-" + READ_PERCENT[i],
                    "Lock and data, " + readers,
                    nodes,
                    metric,
                    metric == Metric.MEAN));
            figures.add(verbs.figure(
                    trials,
                    "soul-verbs-" + READ_PERCENT[i],
                    "Lock and data by verbs, " + readers,
                    nodes,
                    Metric.MEAN,
                    false));
            findings.addAll(findings(lines, trials, metric, readers));
        }
        figures.add(sweeps.get(sweeps.size() - 1)
                .figure(
                        trials,
                        "soul-messages",
                        "Soul by the time of a message, by percent of readers",
                        Axis.linear("time of a message, µs"),
                        Metric.MEAN_OF_SECOND_KIND,
                        false));
        return new Conclusions(figures, findings);
    }

    private static List<Finding> findings(Sweep lines, Trials trials, Metric metric, String readers) {
        double soul = lines.last(trials, SOUL.name(), metric);
        Finding latency = new Finding(
                "Soul with 8 compute nodes, " + readers,
                Published.size(Math.max(100, Math.min(200, soul)), "µs", "5.2: 100 to 200 µs, the nearest of them"),
                soul);
        Finding others = new Finding(
                "the fastest other lock over Soul with 8 compute nodes, " + readers,
                Published.times(10, "5.2: one order of magnitude"),
                fastestOther(lines, trials, metric) / soul);
        return metric == Metric.MEAN
                ? List.of(
                        latency.because(
                                "Nobody writes, so each compute node keeps its line, and no operation needs another one. This is the mean of all operations; the paper's is that of those between compute nodes."),
                        others.because(
                                "A reader whose mark is in a line of its own needs no other compute node either, as the paper finds for its key-value store (5.1): three steps on lines that it has kept and two on its own mark, where Soul has one."))
                : List.of(latency, others.because(SIX_TRANSACTIONS));
    }

    private static double fastestOther(Sweep lines, Trials trials, Metric metric) {
        return ON_LINES.stream()
                .filter(name -> !name.equals(SOUL.name()))
                .mapToDouble(name -> lines.last(trials, name, metric))
                .min()
                .orElse(Double.NaN);
    }
}
