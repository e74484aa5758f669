// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.Coordinator;
import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.ApplicationKind;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The object store and the index of the evaluation over DecLock and other locks of the literature. */
@Command(
        name = "applications",
        mixinStandardHelpOptions = true,
        description =
                "An object store and a B+tree in the memory node's memory, over DecLock and other locks of the literature on the same fabric, TCP unless -s rdma=ADDRESS names an RDMA adapter.")
public final class ApplicationsScenario extends Scenario {
    /** A node of the index and most of an object lie in one record. */
    private static final List<String> MEMORY_NODE = List.of("--capacity=256", "--records=30000");

    @Option(
            names = "--locks",
            split = ",",
            paramLabel = "LOCK",
            defaultValue = "declock,cas-lock,dslr-plus,shiftlock",
            description = "The locks, by their labels (default: ${DEFAULT-VALUE}).")
    private List<String> locks;

    @Option(
            names = "--loads",
            split = ",",
            paramLabel = "LOAD",
            defaultValue = "STORE,INDEX",
            description = "The applications: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private List<ApplicationKind> loads;

    @Override
    protected String title() {
        return "Applications over the locks of the literature on one fabric";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        for (ApplicationKind load : loads) {
            run(outcome, load);
        }
    }

    private void run(Outcome outcome, ApplicationKind load) throws IOException, InterruptedException {
        String name = "(" + load.name().toLowerCase(Locale.ROOT) + ")";
        Workload clients = new Workload(options().jvms(), options().threads(), 1, false, 0, 0, Duration.ZERO);
        Coordinator.Task task =
                new Coordinator.Task(List.of("application-worker", "--application=" + load.name()), MEMORY_NODE);
        Map<String, RunResult> results = new HashMap<>();
        for (String label : inTurn(locks)) {
            RunResult result = run(
                    outcome,
                    Peer.of(label),
                    name,
                    clients,
                    new Coordinator(options().runSettings(), task));
            if (result != null) {
                results.put(label, result);
            }
        }
        locks.forEach(label -> figures(outcome, name, label, results.get(label), results.get(Peer.DECLOCK.label())));
    }

    /** Adds the same figures in the same order in each round. */
    private static void figures(
            Outcome outcome, String name, String label, @Nullable RunResult result, @Nullable RunResult declock) {
        outcome.goal(Goal.figure(
                name + " verbs per operation of " + label,
                result == null || result.total() == 0 ? null : (double) result.countersFrom("verb.") / result.total()));
        if (!label.equals(Peer.DECLOCK.label())) {
            outcome.goal(Goal.figure(
                    name + " operations/s of DecLock against " + label,
                    Ratios.of(declock, result, RunResult::perSecond)));
        }
    }
}
