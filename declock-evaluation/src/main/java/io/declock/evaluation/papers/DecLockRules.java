// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.ReleaseRead;
import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Measured;
import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Table;
import io.declock.evaluation.experiment.Trials;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.simulation.LockSystem.DecLockSystem;
import io.declock.simulation.LockSystem.HandOver;
import io.declock.simulation.LockSystem.Variation;
import java.util.List;

/** What this library's rules cost, which the paper's protocol does not have: each of them left out, one at a time. */
final class DecLockRules {
    private static final DecLockSystem LIBRARY = DecLockSystem.DEFAULT.keeping();
    private static final Lock ALL = new Lock("all rules", LIBRARY);
    private static final List<Lock> WITHOUT = List.of(
            ALL,
            new Lock("without the self-check", LIBRARY.with(new Variation(false, 0, true))),
            new Lock("without epochs in what is READ", LIBRARY.with(new Variation(true, 0, false))),
            new Lock("without bounds on local hand-overs", LIBRARY.with(HandOver.AS_PRINTED)),
            new Lock("without kept ownership", DecLockSystem.DEFAULT),
            new Lock("without pre-armed hand-overs", LIBRARY.preArmed(false)),
            new Lock("each release READs the queue", LIBRARY.with(ReleaseRead.ALWAYS)),
            new Lock("none of them, as in the paper", Lock.DECLOCK_AS_PRINTED));

    private static final int NODES = 8;
    private static final int MANY = 32;
    private static final int FEW = 2;

    private static final List<String> COLUMNS = List.of(
            "million operations/s",
            "median, µs",
            "99th percentile, µs",
            "verbs to acquire",
            "verbs to release",
            "messages",
            "bytes",
            "self-checks",
            "looks");

    private DecLockRules() {}

    static Experiment experiment() {
        return Sweeps.of(
                new About(
                        "declock-rules",
                        "What this library's rules cost",
                        Paper.DECLOCK,
                        "the default load of 6.2",
                        "The default load with 256 and with 16 clients in 8 compute nodes, with all of the library's rules and with one of them left out. Verbs, messages and bytes are for each acquisition.",
                        List.of(
                                "The paper has none of these rules and prints no value for them.",
                                "The epoch in the header and in an entry, and the wider timestamp, take bits of words that the paper has too. What they cost is the header and the full epoch in each READ of the queue: 16 bytes.",
                                "The numbers of chains, by which a session is resumed, travel in frames over TCP only, so the model, whose verbs are RDMA's, has no verb and no byte for them.",
                                "A waiter looks itself after 2 ms, and nobody waits that long here: the line without the self-check differs by its random numbers only, and shows what chance does to the figures.")),
                size -> new Sweep(
                        Lock.names(WITHOUT),
                        List.of((double) MANY, (double) FEW),
                        (name, clients) -> Bench.decLock(Settings.DECLOCK)
                                .with(NODES, (int) clients)
                                .trial(Lock.named(WITHOUT, name), size)),
                DecLockRules::conclude);
    }

    private static Conclusions conclude(Sweep sweep, Trials trials) {
        return new Conclusions(List.of(), List.of(), List.of(table(sweep, trials, MANY), table(sweep, trials, FEW)));
    }

    private static Table table(Sweep sweep, Trials trials, int clients) {
        return new Table(
                NODES * clients + " clients",
                COLUMNS,
                sweep.subjects().stream()
                        .map(name -> new Table.Row(
                                name,
                                row(trials.of(sweep.cell().at(name, clients).id()))))
                        .toList());
    }

    private static List<Double> row(Measured measured) {
        return List.of(
                measured.get(Metric.OPERATIONS) * 1e-6,
                measured.get(Metric.MEDIAN),
                measured.get(Metric.P99),
                measured.get(Metric.ACQUIRE_VERBS),
                measured.get(Metric.RELEASE_VERBS),
                measured.get(Metric.MESSAGES),
                measured.get(Metric.LOCK_BYTES),
                measured.get(Metric.SELF_CHECKS),
                measured.get(Metric.LOOKS));
    }
}
