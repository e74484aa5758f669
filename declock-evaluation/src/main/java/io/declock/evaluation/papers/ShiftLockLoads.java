// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CAS;
import static io.declock.evaluation.papers.Lock.CAS_ADAPTIVE;
import static io.declock.evaluation.papers.Lock.CAS_BACKOFF;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.DSLR_BESIDE_SHIFTLOCK;
import static io.declock.evaluation.papers.Lock.MCS;
import static io.declock.evaluation.papers.Lock.MCS_COUNTING;
import static io.declock.evaluation.papers.Lock.SHIFTLOCK;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
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
import java.util.List;

/** ShiftLock's microbenchmarks: the experiment with one lock, figures 6 to 9 and 12. */
final class ShiftLockLoads {
    /** The locks of its figures that are implemented here, and DecLock. */
    static final List<Lock> LOCKS =
            List.of(CAS_BACKOFF, MCS, MCS_COUNTING, DSLR_BESIDE_SHIFTLOCK, SHIFTLOCK, DECLOCK_PF);

    private static final List<Lock> COUNTED =
            List.of(CAS, CAS_ADAPTIVE, MCS, MCS_COUNTING, DSLR_BESIDE_SHIFTLOCK, SHIFTLOCK, DECLOCK_PF);
    /** Until the pauses of an adaptive CAS-B have settled. */
    private static final double SETTLING_MILLIS = 300;

    private static final double WRITE_INTENSIVE = 50;
    private static final double READ_INTENSIVE = 95;
    private static final double[] READ_PERCENT = {WRITE_INTENSIVE, READ_INTENSIVE};
    private static final double[] NUMBERS_OF_LOCKS = {1e3, 1e4, 1e5, 1e6, 1e7};
    /** Ten million locks need gigabytes of memory, which a build does not have. */
    private static final double[] FEWER_LOCKS = {1e3, 1e5, 1e6};

    private static final double[] CLIENTS_OF_A_NODE = {1, 4, 8, 16, 24, 32, 40, 48};
    private static final double[] EXPONENTS = {0, 0.5, 0.8, 0.9, 0.99};
    private static final double[] WRITERS_IN_A_ROW = {1, 2, 4, 8, 16, 32, 64, 1_024};
    private static final int NODES = 5;

    /** Ten million in the paper. */
    private static final Settings LOAD = new Settings(1_000_000, 0.99, 0.5, 0, 1, 0);

    private static final String TEN_TIMES_FEWER =
            "One million locks, ten in the paper, but in figure 7; this changes the share of the most popular lock by about a seventh.";
    private static final String MISSING = "DrTM, RMA-RW and RPC are not implemented here.";

    static final String COUNTING =
            "MCS is there twice: as in algorithm 1, and 'counting', which executes an atomic and waits for it before it hands the lock over.";

    private ShiftLockLoads() {}

    static List<Experiment> all() {
        return List.of(ShiftLockRetries.experiment(), verbs(), numberOfLocks(), clients(), skew(), writersInARow());
    }

    private static About about(String id, String title, String where, String setting, String... differences) {
        return new About(id, title, Paper.SHIFTLOCK, where, setting, List.of(differences));
    }

    private static Experiment verbs() {
        return Sweeps.of(
                about(
                        "shiftlock-figure-6",
                        "Verbs",
                        "4.2, figure 6",
                        "240 clients in 5 machines, Zipf's law (0.99), half or 95% of the operations read, nothing inside.",
                        TEN_TIMES_FEWER,
                        COUNTING,
                        "The limit of CAS-B's pauses follows the share of retries of each client, as in the paper's published code; it is measured after 300 ms.",
                        MISSING),
                size -> new Sweep(
                        Lock.names(COUNTED), size.of(READ_PERCENT), (name, percent) -> settled(name, percent, size)),
                ShiftLockLoads::concludeVerbs);
    }

    private static Trial settled(String name, double percent, Size size) {
        Bench bench = Bench.shiftLock(LOAD.withReadShare(percent / 100));
        boolean adapts = name.equals(CAS_ADAPTIVE.name());
        return (adapts ? bench.lasting(SETTLING_MILLIS, bench.windowMillis()) : bench)
                .trial(Lock.named(COUNTED, name), size);
    }

    private static Conclusions concludeVerbs(Sweep sweep, Trials trials) {
        Axis readers = Axis.linear("readers, %");
        String shift = SHIFTLOCK.name();
        double shiftAtomics = sweep.first(trials, shift, Metric.ATOMICS);
        double shiftReads = sweep.first(trials, shift, Metric.READS);
        double dslrReads = sweep.first(trials, DSLR_BESIDE_SHIFTLOCK.name(), Metric.READS);
        return new Conclusions(
                List.of(
                        sweep.figure(trials, "shiftlock-6-atomics", "Atomics", readers, Metric.ATOMICS, false),
                        sweep.figure(trials, "shiftlock-6-reads", "READs", readers, Metric.READS, false)),
                List.of(
                        new Finding("ShiftLock: atomics, half readers", Published.size(2.01, "", "4.2"), shiftAtomics),
                        new Finding("ShiftLock: READs, half readers", Published.size(0.36, "", "4.2"), shiftReads),
                        new Finding(
                                "ShiftLock: READs, 95% readers",
                                Published.size(0.20, "", "4.2"), sweep.last(trials, shift, Metric.READS)),
                        new Finding("DSLR: READs, half readers", Published.size(7.92, "", "4.2"), dslrReads)
                                .because(ShiftLockReasons.PAUSE_OF_DSLR),
                        new Finding(
                                        "DSLR: READs over ShiftLock's, half readers",
                                        Published.times(22, "4.2"),
                                        dslrReads / shiftReads)
                                .because(ShiftLockReasons.PAUSE_OF_DSLR),
                        new Finding(
                                        "DSLR: READs over ShiftLock's, 95% readers",
                                        Published.times(4.9, "4.2: ShiftLock needs 79.7% fewer"),
                                        sweep.last(trials, DSLR_BESIDE_SHIFTLOCK.name(), Metric.READS)
                                                / sweep.last(trials, shift, Metric.READS))
                                .because(ShiftLockReasons.PAUSE_OF_DSLR),
                        new Finding(
                                "CAS with back-off: atomics below those without, half readers",
                                Published.percentLess(73.1, "4.2"),
                                100
                                        * (1
                                                - sweep.first(trials, CAS_ADAPTIVE.name(), Metric.ATOMICS)
                                                        / sweep.first(trials, CAS.name(), Metric.ATOMICS))),
                        new Finding(
                                "CAS with back-off: atomics above ShiftLock's, half readers",
                                Published.size(0.35, "", "4.2"),
                                sweep.first(trials, CAS_ADAPTIVE.name(), Metric.ATOMICS) - shiftAtomics)));
    }

    private static Experiment numberOfLocks() {
        return Sweeps.of(
                about(
                        "shiftlock-figure-7",
                        "Number of locks",
                        "4.3, figure 7",
                        "240 clients in 5 machines, Zipf's law (0.99), half of the operations read, nothing inside.",
                        COUNTING,
                        MISSING),
                size -> Bench.sweep(
                        size,
                        LOCKS,
                        locks -> Bench.shiftLock(LOAD.withLocks((int) locks)),
                        size.thin() ? FEWER_LOCKS : NUMBERS_OF_LOCKS),
                (sweep, trials) -> new Conclusions(
                        List.of(
                                sweep.throughput(
                                        trials,
                                        "shiftlock-7-throughput",
                                        "Throughput by number of locks",
                                        Axis.logarithmic("locks")),
                                sweep.figure(
                                        trials,
                                        "shiftlock-7-p99",
                                        "99th percentile by number of locks",
                                        Axis.logarithmic("locks"),
                                        Metric.P99,
                                        true)),
                        List.of(
                                overBest(sweep, trials, MCS, 1.52, "1,000", 0),
                                overBest(sweep, trials, MCS_COUNTING, 1.52, "1,000", 0),
                                overBest(
                                        sweep,
                                        trials,
                                        MCS,
                                        1.38,
                                        "10 million",
                                        sweep.values().size() - 1),
                                overBest(
                                        sweep,
                                        trials,
                                        MCS_COUNTING,
                                        1.38,
                                        "10 million",
                                        sweep.values().size() - 1))));
    }

    private static Finding overBest(Sweep sweep, Trials trials, Lock mcs, double published, String locks, int index) {
        double value = sweep.values().get(index);
        double best = List.of(CAS_BACKOFF, mcs, DSLR_BESIDE_SHIFTLOCK).stream()
                .mapToDouble(lock -> sweep.at(trials, lock.name(), value, Metric.OPERATIONS))
                .max()
                .orElse(Double.NaN);
        return new Finding(
                        "ShiftLock over the best of CAS, " + mcs.name() + " and DSLR with " + locks + " locks",
                        Published.times(published, "4.3"),
                        sweep.at(trials, SHIFTLOCK.name(), value, Metric.OPERATIONS) / best)
                .because(ShiftLockReasons.HAND_OVER);
    }

    private static Experiment clients() {
        return new Sweeps(
                about(
                        "shiftlock-figure-8",
                        "Number of clients",
                        "4.3, figure 8",
                        "Up to 48 clients in each of 5 machines, Zipf's law (0.99), half or 95% of the operations read, nothing inside.",
                        TEN_TIMES_FEWER,
                        COUNTING,
                        MISSING),
                size -> List.of(clientsSweep(size, WRITE_INTENSIVE), clientsSweep(size, READ_INTENSIVE)),
                ShiftLockLoads::concludeClients);
    }

    private static Sweep clientsSweep(Size size, double percent) {
        return Bench.sweep(
                size,
                LOCKS,
                clients -> Bench.shiftLock(LOAD.withReadShare(percent / 100)).with(NODES, (int) clients),
                CLIENTS_OF_A_NODE);
    }

    private static Conclusions concludeClients(List<Sweep> sweeps, Trials trials) {
        Axis clients = Axis.linear("clients of each of 5 machines");
        Sweep writing = sweeps.get(0);
        Sweep reading = sweeps.get(1);
        return new Conclusions(
                List.of(
                        writing.throughput(trials, "shiftlock-8-wi", "Throughput, half readers", clients),
                        reading.throughput(trials, "shiftlock-8-ri", "Throughput, 95% readers", clients)),
                List.of(
                        stable(writing, trials, "half readers", "4.3: stable beyond 80 clients"),
                        stable(reading, trials, "95% readers", "4.3: stable beyond 120 clients"),
                        overMcs(writing, trials, MCS, 1.65, "half readers", ShiftLockReasons.HAND_OVER),
                        overMcs(writing, trials, MCS_COUNTING, 1.65, "half readers", ShiftLockReasons.HAND_OVER),
                        overMcs(reading, trials, MCS, 3.62, "95% readers", ShiftLockReasons.HAND_OVER),
                        overMcs(reading, trials, MCS_COUNTING, 3.62, "95% readers", ShiftLockReasons.COUNTING)));
    }

    private static Finding overMcs(Sweep sweep, Trials trials, Lock mcs, double published, String load, String reason) {
        return new Finding(
                        "ShiftLock over " + mcs.name() + " with 240 clients, " + load,
                        Published.times(published, "4.2"),
                        lastRatio(sweep, trials, mcs))
                .because(reason);
    }

    private static double lastRatio(Sweep sweep, Trials trials, Lock other) {
        return sweep.last(trials, SHIFTLOCK.name(), Metric.OPERATIONS)
                / sweep.last(trials, other.name(), Metric.OPERATIONS);
    }

    private static Finding stable(Sweep sweep, Trials trials, String load, String where) {
        return new Finding(
                "ShiftLock with 240 clients over its peak, " + load,
                Published.equal(where),
                sweep.last(trials, SHIFTLOCK.name(), Metric.OPERATIONS)
                        / sweep.most(trials, SHIFTLOCK.name(), Metric.OPERATIONS));
    }

    private static Experiment skew() {
        return new Sweeps(
                about(
                        "shiftlock-figure-9",
                        "Skew",
                        "4.3, figure 9",
                        "240 clients in 5 machines, half or 95% of the operations read, nothing inside.",
                        TEN_TIMES_FEWER),
                size -> List.of(skewSweep(size, WRITE_INTENSIVE), skewSweep(size, READ_INTENSIVE)),
                (sweeps, trials) -> new Conclusions(
                        List.of(
                                sweeps.get(0)
                                        .throughput(
                                                trials,
                                                "shiftlock-9-wi",
                                                "Throughput, half readers",
                                                Axis.linear("exponent")),
                                sweeps.get(1)
                                        .throughput(
                                                trials,
                                                "shiftlock-9-ri",
                                                "Throughput, 95% readers",
                                                Axis.linear("exponent"))),
                        List.of(new Finding(
                                "half readers: equal shares over an exponent of 0.99",
                                Published.larger("4.3: skew decides"),
                                sweeps.get(0).first(trials, SHIFTLOCK.name(), Metric.OPERATIONS)
                                        / sweeps.get(0).last(trials, SHIFTLOCK.name(), Metric.OPERATIONS)))));
    }

    private static Sweep skewSweep(Size size, double percent) {
        return Bench.sweep(
                size,
                List.of(SHIFTLOCK, DECLOCK_PF),
                exponent -> Bench.shiftLock(LOAD.withReadShare(percent / 100).withZipf(exponent)),
                EXPONENTS);
    }

    private static Experiment writersInARow() {
        return Sweeps.of(
                about(
                        "shiftlock-figure-12",
                        "Writers in a row",
                        "4.7, figure 12",
                        "240 clients in 5 machines, Zipf's law (0.99), half of the operations read, nothing inside; varied: how many writers follow each other while readers wait.",
                        TEN_TIMES_FEWER,
                        "1,024 stands for no limit: the paper sees 261 writers in a row at most."),
                size -> new Sweep(
                        List.of(SHIFTLOCK.name()),
                        size.of(WRITERS_IN_A_ROW),
                        (name, writers) -> Bench.shiftLock(LOAD)
                                .trial(Lock.shiftLock("ShiftLock, " + (int) writers, (int) writers), size)),
                ShiftLockLoads::concludeWriters);
    }

    private static Conclusions concludeWriters(Sweep sweep, Trials trials) {
        Axis writers = Axis.logarithmic("writers in a row");
        String shift = SHIFTLOCK.name();
        double before = sweep.values().contains(32.0) ? 32 : 16;
        return new Conclusions(
                List.of(
                        sweep.throughput(trials, "shiftlock-12-throughput", "Throughput by writers in a row", writers),
                        sweep.figure(
                                trials,
                                "shiftlock-12-median",
                                "Median time to acquire by writers in a row",
                                writers,
                                Metric.ACQUIRE_MEDIAN,
                                false),
                        sweep.figure(
                                trials,
                                "shiftlock-12-p99",
                                "99th percentile of the time to acquire by writers in a row",
                                writers,
                                Metric.ACQUIRE_P99,
                                false)),
                List.of(
                        new Finding(
                                        "throughput without a limit over that with 32",
                                        Published.size(1.033, "×", "4.7"),
                                        sweep.last(trials, shift, Metric.OPERATIONS)
                                                / sweep.at(trials, shift, before, Metric.OPERATIONS))
                                .because(ShiftLockReasons.NO_LIMIT),
                        new Finding(
                                        "median time to acquire without a limit over that with 32",
                                        Published.times(1.365, "4.7"),
                                        sweep.last(trials, shift, Metric.ACQUIRE_MEDIAN)
                                                / sweep.at(trials, shift, before, Metric.ACQUIRE_MEDIAN))
                                .because(ShiftLockReasons.NO_LIMIT),
                        new Finding(
                                        "throughput with 16 and more over that with one",
                                        Published.larger("4.7: stable from 16 on"),
                                        sweep.last(trials, shift, Metric.OPERATIONS)
                                                / sweep.first(trials, shift, Metric.OPERATIONS))
                                .because(ShiftLockReasons.NO_LIMIT)));
    }
}
