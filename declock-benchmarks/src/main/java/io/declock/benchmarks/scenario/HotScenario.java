// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** All threads want the same write lock; the critical section is empty. */
@Command(
        name = "hot",
        mixinStandardHelpOptions = true,
        description = "One hot write lock, empty critical section: throughput, waits, fairness, CPU per acquisition.")
public final class HotScenario extends Scenario {
    @Option(
            names = "--critical-micros",
            description = "Busy time with the lock held (default: ${DEFAULT-VALUE}, for which the goals are defined).")
    private long criticalMicros;

    @Override
    protected String title() {
        return criticalMicros == 0
                ? "One hot write lock, empty critical section"
                : "One hot write lock, busy for " + criticalMicros + " us";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Workload workload =
                Workload.oneLock(options().jvms(), options().threads(), 0, Duration.ofNanos(criticalMicros * 1000));
        RunResult declock = run(outcome, Peer.DECLOCK, workload);
        for (Peer peer : options().competitors()) {
            run(outcome, peer, workload);
        }
        RunResult fair = outcome.fastest(true);
        RunResult any = outcome.fastest(false);
        RunResult thrifty = outcome.thriftiest();
        outcome.goal(Goal.atLeast(
                "acquisitions/s against the fastest fair peer, " + Ratios.name(fair),
                Ratios.of(declock, fair, RunResult::perSecond),
                10));
        outcome.goal(Goal.atLeast(
                "acquisitions/s against the fastest peer, " + Ratios.name(any),
                Ratios.of(declock, any, RunResult::perSecond),
                5));
        outcome.goal(Goal.atMost(
                "p99 wait against the fastest fair peer's, " + Ratios.name(fair),
                Ratios.of(declock, fair, result -> result.waitMicros(99)),
                0.1));
        outcome.goal(
                Goal.atLeast("Jain's fairness index over the workers", declock == null ? null : declock.jain(), 0.98));
        outcome.goal(Goal.atMost(
                "CPU per acquisition, clients and server, against the thriftiest peer, " + Ratios.name(thrifty),
                Ratios.of(declock, thrifty, RunResult::cpuMicrosPerCycle),
                0.2));
    }
}
