// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A configuration that all read and hardly anybody writes: one lock, read by every thread, and one writer now and then. */
@Command(
        name = "read-config",
        mixinStandardHelpOptions = true,
        description = "One lock that all threads read without a pause, and one further process writes once a second:"
                + " reads/s, the writer's waits.")
public final class ReadConfigScenario extends Scenario {
    @Option(
            names = "--write-millis",
            defaultValue = "1000",
            description = "Time from one request of the writer to the next (default: ${DEFAULT-VALUE}).")
    private long writeMillis = 1000;

    @Override
    protected String title() {
        return "One lock, read all the time, written every " + writeMillis + " ms";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        int readers = options().jvms() * options().threads();
        RunResult local = run(outcome, Peer.JVM_NON_FAIR, workload(1, readers, false));
        Workload workload = workload(options().jvms(), options().threads(), true);
        RunResult declock = run(outcome, Peer.DECLOCK, workload);
        for (Peer peer : options().competitors()) {
            if (peer.hasReadLocks()) {
                run(outcome, peer, workload);
            }
        }
        compare(outcome, declock, local, outcome.fastest(workload));
    }

    private Workload workload(int jvms, int threads, boolean apart) {
        return Workload.readers(jvms, threads, new Workload.Writer(Duration.ofMillis(writeMillis), apart));
    }

    private static void compare(
            Outcome outcome, @Nullable RunResult declock, @Nullable RunResult local, @Nullable RunResult fastest) {
        outcome.goal(Goal.figure(
                "reads/s against the fastest peer, " + Ratios.name(fastest),
                Ratios.of(declock, fastest, RunResult::perSecond)));
        outcome.goal(Goal.figure(
                "reads/s against one ReentrantReadWriteLock of one JVM",
                Ratios.of(declock, local, RunResult::perSecond)));
        outcome.goal(Goal.figure(
                "remote operations (posted chains) per read",
                declock == null ? null : declock.remoteOperationsPerCycle()));
        outcome.singleWaitFigures("the writer's wait", declock);
    }
}
