// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static io.declock.evaluation.papers.Lock.CAS;
import static io.declock.evaluation.papers.Lock.CAS_ADAPTIVE;
import static io.declock.evaluation.papers.Lock.CAS_BACKOFF;
import static io.declock.evaluation.papers.Lock.DECLOCK_PF;
import static io.declock.evaluation.papers.Lock.MCS;
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
import io.declock.evaluation.experiment.Table;
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.experiment.Trials;
import io.declock.evaluation.load.Microbenchmark.Settings;
import io.declock.simulation.AdapterModel;
import io.declock.simulation.AdapterModel.Processor;
import java.util.ArrayList;
import java.util.List;

/** ShiftLock's experiment with one lock, for which its paper says what retries cost (2.3). */
final class ShiftLockRetries {
    private static final int NODES = 5;
    private static final int CLIENTS = 48;
    private static final double[] CLIENTS_OF_A_NODE = {1, 4, 8, 16, 24, 32, 40, CLIENTS};
    /** The pauses of an adaptive CAS-B grow for seconds. */
    private static final double[] SECONDS = {5, 6, 10};

    private static final double MILLIS_OF_A_SECOND = 1_000;
    private static final String ADAPTIVE = CAS_ADAPTIVE.name();
    private static final String SLOWER = ADAPTIVE + ", 1 µs of a processor";
    private static final AdapterModel WITH_PROCESSORS = AdapterModel.CONNECT_X5.with(Processor.of(CLIENTS, 1_000));

    private static final String PAUSES =
            "CAS-B pauses as in SMART's published code, but with its highest limit always. There, and in the published code of the paper, the limit of each client follows its share of retries: 'CAS-B, adaptive' is that, measured from its begin on, and its values are compared. How long the paper measures it does not say; the published script that counts the memory node's atomics runs for 10 s.";

    private ShiftLockRetries() {}

    static Experiment experiment() {
        return new Sweeps(
                new About(
                        "shiftlock-one-lock",
                        "Retries under one lock",
                        Paper.SHIFTLOCK,
                        "2.3",
                        "Up to 240 clients take one lock for writing and release it at once.",
                        List.of(
                                "The 15,500 acquisitions/s of CAS without a back-off are not compared, because the adapter's model is fitted to them.",
                                PAUSES)),
                size -> List.of(byClients(size), bySeconds(size)),
                ShiftLockRetries::conclude);
    }

    private static Sweep byClients(Size size) {
        return Bench.sweep(
                size,
                List.of(CAS, CAS_BACKOFF, MCS, SHIFTLOCK, DECLOCK_PF),
                clients -> Bench.shiftLock(Settings.ONE_LOCK).with(NODES, (int) clients),
                CLIENTS_OF_A_NODE);
    }

    private static Sweep bySeconds(Size size) {
        return new Sweep(List.of(ADAPTIVE, SLOWER), size.of(SECONDS), (name, seconds) -> adaptive(name, seconds, size));
    }

    private static Trial adaptive(String name, double seconds, Size size) {
        Bench bench = Bench.shiftLock(Settings.ONE_LOCK).lasting(0, seconds * MILLIS_OF_A_SECOND);
        return (name.equals(SLOWER) ? bench.with(WITH_PROCESSORS) : bench).trial(CAS_ADAPTIVE, size);
    }

    private static Conclusions conclude(List<Sweep> sweeps, Trials trials) {
        Sweep byClients = sweeps.get(0);
        Sweep bySeconds = sweeps.get(1);
        Axis clients = Axis.linear("clients of each of 5 machines");
        return new Conclusions(
                List.of(
                        byClients.throughput(trials, "shiftlock-one-throughput", "Throughput under one lock", clients),
                        byClients.figure(
                                trials,
                                "shiftlock-one-verbs",
                                "Verbs to acquire one lock",
                                clients,
                                Metric.ACQUIRE_VERBS,
                                true)),
                List.of(
                        new Finding(
                                "without retries: ShiftLock here, in the paper an ideal lock",
                                Published.size(278.3, "thousand/s", "2.3"),
                                byClients.last(trials, SHIFTLOCK.name(), Metric.OPERATIONS) / 1e3),
                        new Finding(
                                "share of retries in CAS's verbs of acquiring",
                                Published.size(99.4, "%", "2.3"),
                                retries(byClients, trials, CAS.name())),
                        new Finding(
                                        "CAS with back-off, 240 clients, the first 10 s",
                                        Published.size(141.4, "thousand/s", "2.3"),
                                        bySeconds.last(trials, ADAPTIVE, Metric.OPERATIONS) / 1e3)
                                .because(ShiftLockReasons.GROWING_PAUSES),
                        new Finding(
                                "share of retries in its verbs of acquiring, the first 10 s",
                                Published.size(87.1, "%", "2.3"),
                                retries(bySeconds, trials, ADAPTIVE))),
                List.of(growth(bySeconds, trials)));
    }

    private static double retries(Sweep sweep, Trials trials, String lock) {
        return share(sweep.last(trials, lock, Metric.ACQUIRE_VERBS));
    }

    /** Returns which share of the verbs that acquire are retries, in percent. */
    private static double share(double verbs) {
        return 100 * (1 - 1 / verbs);
    }

    private static Table growth(Sweep sweep, Trials trials) {
        List<Table.Row> rows = new ArrayList<>();
        for (String name : sweep.subjects()) {
            for (double seconds : sweep.values()) {
                rows.add(new Table.Row(
                        name + ", the first " + Math.round(seconds) + " s",
                        List.of(
                                sweep.at(trials, name, seconds, Metric.OPERATIONS) / 1e3,
                                share(sweep.at(trials, name, seconds, Metric.ACQUIRE_VERBS)))));
            }
        }
        return new Table("240 clients whose pauses grow", List.of("thousand operations/s", "retries, %"), rows);
    }
}
