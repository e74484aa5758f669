// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
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
    /** What callers do. */
    private enum Load {
        /** One write lock. */
        HOT,
        /** Many locks by Zipf's law, half of the acquisitions for reading. */
        ZIPF;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--loads",
            split = ",",
            paramLabel = "LOAD",
            defaultValue = "HOT,ZIPF",
            description = "The loads: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private List<Load> loads;

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
        for (Load load : loads) {
            run(outcome, load);
        }
    }

    private void run(Outcome outcome, Load load) throws IOException, InterruptedException {
        String name = "(" + load + ")";
        Map<Peer, RunResult> results = new EnumMap<>(Peer.class);
        for (Peer peer : inTurn(field())) {
            if (peer == Peer.SHIFTLOCK && options().runSettings().tuning().usesRdma()) {
                outcome.skipped(peer.label() + " COULD NOT RUN: RDMA has no extended atomics", false);
                continue;
            }
            RunResult result = run(outcome, peer, name, workload(load));
            if (result != null) {
                results.put(peer, result);
            }
        }
        figures(outcome, name, results);
    }

    /** Returns DecLock and the locks beside it. */
    private List<Peer> field() {
        List<String> named = locks;
        return Stream.concat(
                        Stream.of(Peer.DECLOCK),
                        Peer.literature().stream().filter(peer -> named == null || named.contains(peer.label())))
                .toList();
    }

    private Workload workload(Load load) {
        int processes = options().jvms();
        int threads = options().threads();
        return switch (load) {
            case HOT -> Workload.oneLock(processes, threads, 0, Duration.ZERO);
            case ZIPF -> new Workload(processes, threads, names, false, 0.99, 0.5, Duration.ZERO);
        };
    }

    /** Adds the same figures in the same order in each round. */
    private void figures(Outcome outcome, String name, Map<Peer, RunResult> results) {
        for (Peer peer : field()) {
            RunResult other = results.get(peer);
            if (peer != Peer.DECLOCK) {
                outcome.goal(Goal.figure(
                        name + " cycles/s of DecLock against " + peer.label(),
                        Ratios.of(results.get(Peer.DECLOCK), other, RunResult::perSecond)));
            }
            outcome.goal(Goal.figure(
                    name + " verbs per cycle of " + peer.label(),
                    other == null || other.total() == 0 ? null : (double) other.countersFrom("verb.") / other.total()));
        }
    }
}
