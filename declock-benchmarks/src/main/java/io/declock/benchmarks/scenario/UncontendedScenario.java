// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import picocli.CommandLine.Command;

/** One thread alone: the cost of locking without contention. */
@Command(
        name = "uncontended",
        mixinStandardHelpOptions = true,
        description = "One thread, locks without contention: acquire p50 against a bare verb, cycles/s.")
public final class UncontendedScenario extends Scenario {
    private static final int NAMES = 64;

    @Override
    protected String title() {
        return "Uncontended: one thread, " + NAMES + " locks in turn";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Workload turns = Workload.alone(NAMES);
        Workload same = Workload.alone(1);
        RunResult verb = run(outcome, Peer.BARE_VERB, turns);
        RunResult declock = run(outcome, Peer.DECLOCK, turns);
        run(outcome, Peer.DECLOCK, "(the same lock again)", same);
        for (Peer peer : options().competitors()) {
            run(outcome, peer, turns);
        }
        RunResult any = outcome.fastest(false);
        outcome.goal(Goal.atMost(
                "acquire p50 against a bare one-verb round trip",
                Ratios.of(declock, verb, result -> result.waitMicros(50)),
                1.3));
        outcome.goal(Goal.atLeast(
                "cycles/s against the fastest peer, " + Ratios.name(any),
                Ratios.of(declock, any, RunResult::perSecond),
                2));
        if (declock != null && declock.total() > 0) {
            outcome.goal(Goal.atMost(
                    "round trips waited for per cycle (acquire FAAs)",
                    (double) declock.countersFrom("verb.acquire.") / declock.total(),
                    1.01));
        }
    }
}
