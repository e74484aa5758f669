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

/** Many locks, some of them much more popular than others, as in the paper's default workload. */
@Command(
        name = "zipf",
        mixinStandardHelpOptions = true,
        description = "100,000 locks, Zipf 0.99, half reads: throughput.")
public final class ZipfScenario extends Scenario {
    @Option(names = "--names", description = "Lock names (default: ${DEFAULT-VALUE}).")
    private int names = 100_000;

    @Override
    protected String title() {
        return "Many locks, Zipf 0.99, half reads";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Workload workload = new Workload(options().jvms(), options().threads(), names, false, 0.99, 0.5, Duration.ZERO);
        RunResult declock = run(outcome, Peer.DECLOCK, workload);
        for (Peer peer : options().competitors()) {
            run(outcome, peer, workload);
        }
        RunResult any = outcome.fastest(false);
        outcome.goal(Goal.atLeast(
                "acquisitions/s against the fastest peer, " + Ratios.name(any),
                Ratios.of(declock, any, RunResult::perSecond),
                5));
        if (declock != null && declock.counter("remote_acquisition") > 0) {
            double remote = declock.counter("remote_acquisition");
            outcome.fact(
                    "remote operations in the acquire phase, per remote acquisition",
                    (declock.countersFrom("verb.acquire.") + declock.countersFrom("verb.entry.")) / remote);
            outcome.fact("refetches per remote acquisition", declock.counter("refetch") / remote);
        }
    }
}
