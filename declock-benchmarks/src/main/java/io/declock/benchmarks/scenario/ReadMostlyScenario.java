// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One lock, mostly acquired for reading, held for some time. */
@Command(
        name = "read-mostly",
        mixinStandardHelpOptions = true,
        description = "One lock, 95 %% reads, 100 us critical section, against one ReentrantReadWriteLock in one JVM.")
public final class ReadMostlyScenario extends Scenario {
    private static final double READ_SHARE = 0.95;
    private static final double LONGEST_WRITER_WAIT_MS = 1000;

    @Option(names = "--critical-micros", description = "Busy time with the lock held (default: ${DEFAULT-VALUE}).")
    private long criticalMicros = 100;

    @Override
    protected String title() {
        return "One lock, 95 % reads, busy critical section";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Duration busy = Duration.ofNanos(criticalMicros * 1000);
        Workload workload = Workload.oneLock(options().jvms(), options().threads(), READ_SHARE, busy);
        RunResult jvm = run(outcome, Peer.JVM_NON_FAIR, Workload.oneLock(1, workload.workers(), READ_SHARE, busy));
        RunResult declock = run(outcome, Peer.DECLOCK, workload);
        var phaseFair = options().runSettings().tuned(Map.of("policy", "phase-fair"));
        run(outcome, Peer.DECLOCK, "(phase-fair)", workload, phaseFair);
        for (Peer peer : options().competitors()) {
            if (peer.hasReadLocks()) {
                run(outcome, peer, workload);
            }
        }
        outcome.goal(Goal.atLeast(
                "acquisitions/s against one non-fair ReentrantReadWriteLock of one JVM",
                Ratios.of(declock, jvm, RunResult::perSecond),
                0.6));
        outcome.goal(Goal.atMost(
                "longest wait of a writer in ms (none starves)",
                declock == null ? null : declock.writeWaits().getMaxValue() / 1e6,
                LONGEST_WRITER_WAIT_MS));
    }
}
