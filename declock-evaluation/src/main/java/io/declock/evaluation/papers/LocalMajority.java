// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Measured;
import io.declock.evaluation.experiment.Metric;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Sweep;
import io.declock.evaluation.experiment.Trial;
import io.declock.evaluation.experiment.Trials;
import io.declock.protocols.LockProtocol;
import io.declock.protocols.alock.ALock;
import io.declock.protocols.cas.CasLock;
import io.declock.protocols.mcs.McsLock;
import io.declock.simulation.ProtocolSimulation;
import io.declock.simulation.ProtocolSimulation.Result;
import io.declock.simulation.ProtocolSimulation.Setting;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** ALock with more and more clients that live with the memory node, beside locks that these use through the adapter, as all others do. */
final class LocalMajority implements Experiment {
    private static final int CLIENTS = 32;
    private static final int LOCKS = 16;
    private static final int ROUNDS = 4_000;
    private static final int FEWEST_ROUNDS = 50;
    private static final long ONE_WAY = 1_050;
    private static final long JITTER = 20;

    private static final Map<String, LockProtocol> LOCK_PROTOCOLS = Map.of(
            "ALock", new ALock(new ALock.Settings(5, 100, 1_000)),
            "MCS", new McsLock(),
            "CASLock", CasLock.spinning());

    @Override
    public About about() {
        return new About(
                "alock-local-majority",
                "Local clients",
                Paper.ALOCK,
                "sections 1 and 3",
                CLIENTS + " clients write under one of " + LOCKS
                        + " locks; the share of clients that live with the memory node grows.",
                List.of(
                        "The technical report has no measurements, so there is no value to compare with.",
                        "Clients of MCS and CASLock that live with the memory node use its adapter, which the report calls loopback; here that costs them as much as the others."));
    }

    private static Sweep sweep(Size size) {
        int rounds = (int) Math.max(FEWEST_ROUNDS, ROUNDS * size.time());
        return new Sweep(
                List.of("ALock", "MCS", "CASLock"),
                size.of(0, 0.25, 0.5, 0.75, 0.875, 0.9375, 1),
                (lock, share) -> new Trial(
                        "local-majority/" + lock + "/" + share + "/" + rounds,
                        seed -> measured(ProtocolSimulation.onPapersAdapter(
                                seed,
                                new Setting(
                                        Objects.requireNonNull(LOCK_PROTOCOLS.get(lock)),
                                        CLIENTS,
                                        LOCKS,
                                        rounds,
                                        0,
                                        0,
                                        ONE_WAY,
                                        JITTER,
                                        0,
                                        share)))));
    }

    private static Measured measured(Result result) {
        return new Measured(
                Map.of(
                        Metric.OPERATIONS,
                        result.acquisitions() * 1e9 / result.nanos(),
                        Metric.ACQUIRE_VERBS,
                        result.acquireVerbsEach()),
                result.hash());
    }

    @Override
    public List<Trial> trials(Size size) {
        return sweep(size).trials();
    }

    @Override
    public Conclusions conclude(Size size, Trials trials) {
        Sweep sweep = sweep(size);
        Axis shares = Axis.linear("share of local clients");
        return new Conclusions(
                List.of(
                        sweep.throughput(
                                trials, "alock-throughput", "Acquisitions by the share of local clients", shares),
                        sweep.figure(
                                trials,
                                "alock-verbs",
                                "Verbs of the adapter by the share of local clients",
                                shares,
                                Metric.ACQUIRE_VERBS,
                                false)),
                List.of());
    }
}
