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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A process takes the same lock again and again: alone, beside others with locks of their own, and until another process takes it over. */
@Command(
        name = "same",
        mixinStandardHelpOptions = true,
        description = "The same lock again and again: one process, processes with a lock each, a lock that wanders;"
                + " one thread per process.")
public final class SameScenario extends Scenario {
    /** The loads. */
    enum Load {
        /** One process with one lock. */
        ONE,
        /** Processes with a lock of their own each. */
        OWN,
        /** One lock, which process after process takes for a while. */
        WANDERING;

        String label() {
            return "(" + name().toLowerCase(Locale.ROOT) + ")";
        }
    }

    @Option(
            names = "--loads",
            split = ",",
            paramLabel = "LOAD",
            description =
                    "one (one process, one lock), own (each process has a lock of its own), wandering (each process in"
                            + " turn takes one lock); default: all of them.")
    private List<Load> loads = new ArrayList<>(List.of(Load.values()));

    @Option(
            names = "--turn-millis",
            defaultValue = "1000",
            description = "How long each process takes the wandering lock (default: ${DEFAULT-VALUE}).")
    private long turnMillis = 1000;

    @Override
    protected String title() {
        return "The same lock again and again";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        for (Load load : loads) {
            int processes = options().jvms();
            RunResult local = run(outcome, Peer.JVM_NON_FAIR, load.label(), workload(load, 1, processes));
            Workload workload = workload(load, processes, 1);
            RunResult declock = run(outcome, Peer.DECLOCK, load.label(), workload);
            for (Peer peer : options().competitors()) {
                run(outcome, peer, load.label(), workload);
            }
            compare(outcome, load, declock, local, outcome.fastest(workload));
        }
    }

    private Workload workload(Load load, int processes, int threads) {
        return switch (load) {
            case ONE -> Workload.alone(1);
            case OWN -> Workload.ownLocks(processes, threads);
            case WANDERING -> Workload.wandering(processes, threads, Duration.ofMillis(turnMillis));
        };
    }

    private static void compare(
            Outcome outcome,
            Load load,
            @Nullable RunResult declock,
            @Nullable RunResult local,
            @Nullable RunResult fastest) {
        String which = load.label() + " ";
        outcome.goal(Goal.figure(
                which + "cycles/s against the fastest peer, " + Ratios.name(fastest),
                Ratios.of(declock, fastest, RunResult::perSecond)));
        outcome.goal(Goal.figure(
                which + "cycles/s against ReentrantReadWriteLocks of one JVM",
                Ratios.of(declock, local, RunResult::perSecond)));
        outcome.goal(Goal.figure(
                which + "remote operations (posted chains) per cycle",
                declock == null ? null : declock.remoteOperationsPerCycle()));
        if (load == Load.WANDERING) {
            outcome.singleWaitFigures(which + "take-over", declock);
        }
    }
}
