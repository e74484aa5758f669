// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** DecLock beside the other locks of the literature, on the same fabric and memory node. */
@Command(
        name = "field",
        mixinStandardHelpOptions = true,
        description =
                "DecLock beside other locks of the literature on the same fabric, TCP unless -s rdma=ADDRESS names an RDMA adapter: one hot lock, and many locks by Zipf.")
public final class FieldScenario extends Scenario {
    @Option(
            names = "--names",
            defaultValue = "1000",
            paramLabel = "N",
            description = "Number of locks of the second load (default: ${DEFAULT-VALUE}).")
    private int names;

    @Option(
            names = "--locks",
            split = ",",
            paramLabel = "LOCK",
            description = "Only these locks of the literature, by their labels (default: all).")
    private @Nullable List<String> locks;

    @Override
    protected String title() {
        return "The locks of the literature on one fabric";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        load(outcome, "(hot)", Workload.oneLock(options().jvms(), options().threads(), 0, Duration.ZERO));
        load(
                outcome,
                "(zipf)",
                new Workload(options().jvms(), options().threads(), names, false, 0.99, 0.5, Duration.ZERO));
    }

    private void load(Outcome outcome, String name, Workload workload) throws IOException, InterruptedException {
        RunResult declock = run(outcome, Peer.DECLOCK, name, workload);
        for (Peer peer : Peer.literature()) {
            if (locks != null && !locks.contains(peer.label())) {
                continue;
            }
            if (peer == Peer.SHIFTLOCK && options().runSettings().tuning().usesRdma()) {
                outcome.skipped(peer.label() + " COULD NOT RUN: RDMA has no extended atomics", false);
                continue;
            }
            RunResult other = run(outcome, peer, name, workload);
            outcome.goal(Goal.figure(
                    name + " cycles/s of DecLock against " + peer.label(),
                    Ratios.of(declock, other, RunResult::perSecond)));
            if (other != null && other.total() > 0) {
                outcome.goal(Goal.figure(
                        name + " verbs per cycle of " + peer.label(),
                        (double) other.countersFrom("verb.") / other.total()));
            }
        }
    }
}
