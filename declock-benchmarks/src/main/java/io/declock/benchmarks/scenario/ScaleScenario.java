// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What one process notices of the others that are joined, and what becomes of a lock for which all of them wait. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = "One thread beside 10, 100 and 1,000 joined processes; then all of these wait for one lock.")
public final class ScaleScenario extends Scenario {
    private static final int NAMES = 64;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "N",
            defaultValue = "10,100,1000",
            description = "Numbers of joined processes (default: ${DEFAULT-VALUE}).")
    private List<Integer> sizes = new ArrayList<>();

    @Override
    protected String title() {
        return "Scale: one thread, " + NAMES + " locks in turn, beside other joined processes";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        Workload turns = Workload.alone(NAMES);
        @Nullable RunResult few = null;
        for (int size : sizes) {
            RunResult many = run(
                    outcome,
                    Peer.DECLOCK,
                    "(beside " + size + ")",
                    turns,
                    options().runSettings().beside(size, report -> {
                        String beside = size + " processes: ";
                        outcome.fact(beside + "all joined after ms", report.joinMillis());
                        outcome.fact(
                                beside + "their CPU while they do nothing, in thousandths of one",
                                report.idlePermille());
                        outcome.fact(beside + "each has held one lock once after ms", report.turnMillis());
                        outcome.fact(beside + "resets of that lock", report.resets());
                        outcome.fact(beside + "looks at its queue", report.selfChecks());
                        outcome.fact(beside + "grants found by a look", report.selfGrants());
                        outcome.goal(Goal.atLeast(
                                beside + "turns that the counter under the lock saw", (double) report.turns(), size));
                    }));
            few = few == null ? many : few;
            if (many != few) {
                outcome.goal(Goal.atLeast(
                        "cycles/s beside " + size + " against beside " + sizes.get(0),
                        Ratios.of(many, few, RunResult::perSecond),
                        0.9));
                outcome.goal(Goal.atMost(
                        "acquire p50 beside " + size + " against beside " + sizes.get(0),
                        Ratios.of(many, few, result -> result.waitMicros(50)),
                        1.1));
            }
        }
    }
}
