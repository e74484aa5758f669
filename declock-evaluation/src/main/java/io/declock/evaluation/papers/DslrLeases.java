// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

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
import io.declock.evaluation.load.TpccLocks;
import io.declock.evaluation.load.TwoPhaseLocking;
import io.declock.protocols.Backoff;
import io.declock.protocols.dslr.Dslr;
import io.declock.simulation.AdapterModel;
import io.declock.simulation.LockSystem.Literature;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What DSLR's paper measures of its leases and of the reset of its counters: figures 11 and 16 to 18. */
final class DslrLeases {
    private static final int CLIENTS = 4;
    private static final int NODES = 16;

    /** As many lock managers as machines with clients, each with the locks of a warehouse. */
    static final AdapterModel ADAPTERS = AdapterModel.CONNECT_X3.withMemoryNodes(NODES);

    static final String SIXTEEN_NODES =
            "The 16 memory nodes of the paper, each of which has the locks of a warehouse, are one with 16 times the rate, over which all locks are spread.";
    private static final int MICRO = 1_000;

    /** Fitted: a client ends as many transactions as in the paper, where 64 of them end 110,000 in a second without long reads (6.4). */
    static final long PAUSE = 560_000;

    static final String PAUSES =
            "A client pauses for 0.56 ms between two transactions, so that 64 of them end 110,000 in a second (6.4). What it does in that time the paper does not say; it writes redo logs to a disk.";

    private static final double[] LONG_READS = {0.05, 0.1, 0.2, 0.35, 0.5};
    /** Longer than a lease, as the paper's must be. */
    private static final long LONG_READ = 2 * Lock.LEASE;

    private static final String MORE_THAN_HALF = "6.5: more than half aborted";
    private static final int SLOTS = 10;
    private static final String FIXED = "one length";
    private static final String MULTI_SLOT = "several slots";

    private static final int NODES_OF_RESETS = 31;
    /** So few that the counters begin anew several times in a window. */
    private static final int FEW_TICKETS = 2_048;

    private static final double[] LONGEST_PAUSES = {10, 100, 1_000, 10_000};
    private static final double ENOUGH_MICROS = 1_000;
    private static final long SHORTEST_PAUSE = 10_000;
    private static final String RESETS = "DSLR";

    private static final double[] LEASES = {10, 50, 100, 500, 1_000, 10_000};
    private static final List<Double> FAILURE_PERCENT = List.of(0.1, 1.0, 10.0);

    private static final String LOST_TURN =
            "A client that has lost its turn draws another ticket; its transaction is aborted when it is granted the lock, or when at the end the lease of one of its locks is over. In the paper it is aborted at once.";

    private DslrLeases() {}

    static List<Experiment> all() {
        return List.of(multiSlot(), resets(), leaseTimes());
    }

    private static Lock dslr(String name, Dslr.Settings settings) {
        return new Lock(name, new Literature(Dslr.polling(settings, Lock.DSLR_PAUSE)));
    }

    private static TpccLocks.Settings tpcc(int warehouses, double longReads, long longNanos) {
        return new TpccLocks.Settings(warehouses, 300, 10_000, 0, longReads, longNanos);
    }

    private static Bench bench(
            AdapterModel adapters, int nodes, TpccLocks.Settings settings, int leases, double failures, long pause) {
        return Bench.of(adapters, nodes, CLIENTS)
                .under(
                        String.join("/", "TPC-C", settings.toString(), "" + leases, "" + failures, "" + pause),
                        () -> new TwoPhaseLocking(new TpccLocks(settings), leases, failures, pause));
    }

    // ---------------------------------------------------------------- 6.5

    private static Experiment multiSlot() {
        return Sweeps.of(
                new About(
                        "dslr-figure-11",
                        "Leases of several slots",
                        Paper.DSLR,
                        "6.5, figure 11",
                        "64 clients in 16 machines run TPC-C on 16 warehouses; so many of the transactions read all customers of a warehouse for 20 ms. A lease is 10 ms, or as many slots of 10 ms as a client asks for.",
                        List.of(
                                SIXTEEN_NODES,
                                PAUSES,
                                "The paper does not say how long such a read takes, nor how many slots a transaction asks for; here each asks for "
                                        + SLOTS + ", because it may hold locks while it waits for long reads.",
                                LOST_TURN,
                                "Warehouses have a tenth of the specified customers and items.")),
                size -> new Sweep(
                        List.of(FIXED, MULTI_SLOT),
                        size.of(LONG_READS),
                        (name, share) -> withLongReads(name, share, size)),
                DslrLeases::concludeMultiSlot);
    }

    private static Trial withLongReads(String name, double share, Size size) {
        int slots = name.equals(FIXED) ? 1 : SLOTS;
        Lock lock = dslr("DSLR, " + name, new Dslr.Settings(Lock.LEASE, Dslr.TICKETS, slots, null));
        return bench(ADAPTERS, NODES, tpcc(NODES, share, LONG_READ), slots, 0, PAUSE)
                .lasting(100, 500)
                .trial(lock, size);
    }

    private static Conclusions concludeMultiSlot(Sweep sweep, Trials trials) {
        Axis axis = Axis.linear("share of long reads");
        return new Conclusions(
                List.of(
                        sweep.figure(
                                trials,
                                "dslr-11",
                                "Transactions by leases of one length and of several slots",
                                axis,
                                Metric.OPERATIONS,
                                false),
                        sweep.figure(trials, "dslr-11-aborted", "Aborted transactions", axis, Metric.ABORTED, false)),
                List.of(
                        new Finding(
                                "several slots: aborted transactions",
                                Published.atMost(0, "%", "6.5"),
                                sweep.most(trials, MULTI_SLOT, Metric.ABORTED)),
                        new Finding(
                                        "one length: transactions that are not aborted, with 5% long reads",
                                        Published.atMost(50, "%", MORE_THAN_HALF),
                                        100 - sweep.first(trials, FIXED, Metric.ABORTED))
                                .because(
                                        "The paper does not say with how many long reads. Here 21% are aborted with 5% long reads and 80% with 50%: each long read is aborted, and only those whose locks it keeps from them are aborted besides."),
                        new Finding(
                                "one length: transactions that are not aborted, with 50% long reads",
                                Published.atMost(50, "%", MORE_THAN_HALF),
                                100 - sweep.last(trials, FIXED, Metric.ABORTED)),
                        new Finding(
                                "throughput with one length as a share of that with several slots",
                                Published.atMost(1, "×", "6.5"),
                                sweep.largestRatio(trials, FIXED, MULTI_SLOT, Metric.OPERATIONS))));
    }

    // ---------------------------------------------------------------- A.5

    private static Experiment resets() {
        return Sweeps.of(
                new About(
                        "dslr-figure-16",
                        "The back-off while counters are reset",
                        Paper.DSLR,
                        "A.5, figure 16",
                        "124 clients in 31 machines run TPC-C on one warehouse. A client that finds all tickets drawn takes its ticket back, pauses up to 10 µs, doubled each time up to a limit, and draws again.",
                        List.of(
                                "A lock has " + FEW_TICKETS
                                        + " tickets of a kind rather than 32,768, so that its counters begin anew in the time that is measured.",
                                "The warehouse has a tenth of the specified customers and items.",
                                "A client that has seen no ticket served for four leases draws none again before the counters begin anew, so that they do at some time.")),
                size -> new Sweep(
                        List.of(RESETS), size.of(LONGEST_PAUSES), (name, micros) -> withPauses((long) micros, size)),
                DslrLeases::concludeResets);
    }

    private static Trial withPauses(long longestMicros, Size size) {
        Dslr.Settings settings = new Dslr.Settings(
                Lock.LEASE, FEW_TICKETS, 1, Backoff.binaryExponential(SHORTEST_PAUSE, longestMicros * MICRO));
        return bench(AdapterModel.CONNECT_X3, NODES_OF_RESETS, tpcc(1, 0, 0), 1, 0, 0)
                .lasting(50, 400)
                .trial(dslr("DSLR, pauses up to " + longestMicros + " µs", settings), size);
    }

    private static Conclusions concludeResets(Sweep sweep, Trials trials) {
        double longest = sweep.last(trials, RESETS, Metric.OPERATIONS);
        return new Conclusions(
                List.of(sweep.figure(
                        trials,
                        "dslr-16",
                        "Transactions by the longest pause",
                        Axis.logarithmic("longest pause, µs"),
                        Metric.OPERATIONS,
                        false)),
                List.of(
                        new Finding(
                                "throughput with pauses up to 10 µs as a share of that up to 10 ms",
                                Published.atMost(1, "×", "A.5"),
                                sweep.first(trials, RESETS, Metric.OPERATIONS) / longest),
                        new Finding(
                                "throughput with pauses up to 1 ms as a share of that up to 10 ms: equal",
                                Published.equal("A.5: stable from 1 ms on"),
                                sweep.at(trials, RESETS, ENOUGH_MICROS, Metric.OPERATIONS) / longest)));
    }

    // ---------------------------------------------------------------- A.6

    private static Experiment leaseTimes() {
        return Sweeps.of(
                new About(
                        "dslr-figure-17",
                        "Lease times and transactions that fail",
                        Paper.DSLR,
                        "A.6, figures 17 and 18",
                        "64 clients in 16 machines run TPC-C on 16 warehouses; 0.1, 1 or 10% of the transactions fail and leave all their locks behind.",
                        List.of(
                                SIXTEEN_NODES,
                                PAUSES,
                                LOST_TURN,
                                "Warehouses have a tenth of the specified customers and items.")),
                size -> new Sweep(
                        FAILURE_PERCENT.stream().map(DslrLeases::failing).toList(),
                        size.of(LEASES),
                        (name, micros) -> withLease(name, (long) micros, size)),
                DslrLeases::concludeLeaseTimes);
    }

    private static String failing(double percent) {
        return percent + "% fail";
    }

    private static Trial withLease(String name, long micros, Size size) {
        double percent = FAILURE_PERCENT.stream()
                .filter(each -> failing(each).equals(name))
                .findFirst()
                .orElseThrow();
        Dslr.Settings settings = new Dslr.Settings(micros * MICRO, Dslr.TICKETS);
        return bench(ADAPTERS, NODES, tpcc(NODES, 0, 0), 1, percent / 100, PAUSE)
                .lasting(50, 400)
                .trial(dslr("DSLR, lease of " + micros + " µs", settings), size);
    }

    private static Conclusions concludeLeaseTimes(Sweep sweep, Trials trials) {
        Axis axis = Axis.logarithmic("lease, µs");
        List<Finding> findings = new ArrayList<>();
        for (double percent : FAILURE_PERCENT) {
            String name = failing(percent);
            double best = sweep.values().stream()
                    .max(Comparator.comparingDouble(micros -> sweep.at(trials, name, micros, Metric.OPERATIONS)))
                    .orElseThrow();
            findings.add(
                    new Finding(
                                    name + ": the lease with the highest throughput",
                                    Published.size(100, "µs", "A.6"),
                                    best)
                            .because(
                                    "The leases of 50 and 100 µs are close: with pauses of 0.5 ms 50 µs is the best for each share. A transaction has its locks for 23 µs in the median here, because the model's processors take no time; longer ones make 50 µs too short. If one memory node has all locks, whose atomics follow each other, a transaction takes several hundred microseconds, and the best lease is 500 µs with 0.1% and 50 µs with 1 and 10%."));
        }
        return new Conclusions(
                List.of(
                        sweep.figure(trials, "dslr-17", "Transactions by lease", axis, Metric.OPERATIONS, false),
                        sweep.figure(trials, "dslr-18", "Aborted transactions by lease", axis, Metric.ABORTED, false)),
                findings);
    }
}
