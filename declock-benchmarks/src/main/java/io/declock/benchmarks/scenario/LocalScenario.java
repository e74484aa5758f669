// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import picocli.CommandLine.Command;

/** Two threads of one process hand a lock over to each other. */
@Command(
        name = "local",
        mixinStandardHelpOptions = true,
        description = "Hand-over between two threads of one JVM against a fair ReentrantReadWriteLock.")
public final class LocalScenario extends Scenario {
    private static final double GRANTS_PER_POSITION = 128;

    @Override
    protected String title() {
        return "Local hand-over between two threads of one JVM";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Workload workload = Workload.handOverInside();
        RunResult jvm = run(outcome, Peer.JVM_FAIR, workload);
        RunResult declock = run(outcome, Peer.DECLOCK, workload);
        outcome.goal(Goal.atLeast(
                "hand-overs/s against a fair ReentrantReadWriteLock",
                Ratios.of(declock, jvm, RunResult::perSecond),
                0.5));
        if (declock != null && declock.total() > 0) {
            double chains = declock.counter("verb.acquire.fetch_and_add")
                    + declock.counter("verb.requeue.fetch_and_add")
                    + declock.counter("verb.release.fetch_and_add")
                    + declock.counter("verb.entry.write")
                    + declock.counter("verb.prefetch.read")
                    + declock.counter("verb.self_check.read")
                    + declock.counter("verb.refetch.read");
            outcome.goal(Goal.atMost(
                    "remote operations (posted chains) per 128 grants",
                    GRANTS_PER_POSITION * chains / declock.total(),
                    1.1));
        }
    }
}
