// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A value that a lock guards: read when the lock is held, replaced before it is released; the wait ends when the value is there. */
@Command(
        name = "values",
        mixinStandardHelpOptions = true,
        description =
                "A value that a lock guards, read with the lock and stored before the release; beside locks and values of others.")
public final class ValuesScenario extends Scenario {
    private static final int NAMES = 64;

    /** The loads. */
    enum Load {
        /** One process with one thread. */
        ALONE,
        /** All processes, each thread with names of its own. */
        OWN,
        /** All processes and one name. */
        HOT;

        String label() {
            return "(" + name().toLowerCase(Locale.ROOT) + ")";
        }
    }

    @Option(
            names = "--loads",
            split = ",",
            paramLabel = "LOAD",
            description = "alone (one thread, 64 names in turn), own (each thread of all processes has 64 names),"
                    + " hot (one name for all); default: all of them.")
    private List<Load> loads = new ArrayList<>(List.of(Load.values()));

    @Override
    protected String title() {
        return "A value that belongs to a lock: read with it, stored before it is released";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        for (Load load : loads) {
            load(outcome, load.label(), workload(load));
        }
    }

    private Workload workload(Load load) {
        int jvms = options().jvms();
        int threads = options().threads();
        return switch (load) {
            case ALONE -> Workload.alone(NAMES);
            case OWN -> new Workload(jvms, threads, NAMES, true, 0, 0, Duration.ZERO);
            case HOT -> Workload.oneLock(jvms, threads, 0, Duration.ZERO);
        };
    }

    private void load(Outcome outcome, String name, Workload workload) throws IOException, InterruptedException {
        RunResult declock = run(outcome, Peer.DECLOCK_VALUE, name, workload);
        outcome.goal(Goal.figure(
                name + " until lock and value are there, p50 in us", declock == null ? null : declock.waitMicros(50)));
        outcome.goal(Goal.figure(
                name + " until lock and value are there, p99 in us", declock == null ? null : declock.waitMicros(99)));
        for (Peer peer : others()) {
            RunResult other = run(outcome, peer, name, workload);
            for (double percentile : new double[] {50, 99}) {
                outcome.goal(Goal.figure(
                        name + " lock and value, p" + Math.round(percentile) + ", of " + peer.label() + " against "
                                + Peer.DECLOCK_VALUE.label(),
                        Ratios.of(other, declock, result -> result.waitMicros(percentile))));
            }
            outcome.goal(Goal.figure(
                    name + " cycles/s of " + Peer.DECLOCK_VALUE.label() + " against " + peer.label(),
                    Ratios.of(declock, other, RunResult::perSecond)));
        }
    }

    /** Returns DecLock with the value in another server, then the products whose server has lock and value. */
    private List<Peer> others() {
        List<Peer> others = new ArrayList<>(List.of(Peer.DECLOCK_REDIS_VALUE, Peer.DECLOCK_POSTGRES_VALUE));
        options().competitors().stream()
                .map(Peer::withValue)
                .filter(Objects::nonNull)
                .forEach(others::add);
        return others;
    }
}
