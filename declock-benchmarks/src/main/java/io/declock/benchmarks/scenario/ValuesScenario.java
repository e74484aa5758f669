// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.report.Goal;
import io.declock.benchmarks.worker.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** A value that a lock guards: read when the lock is held, replaced before it is released; the wait ends when the value is there. */
@Command(
        name = "values",
        mixinStandardHelpOptions = true,
        description =
                "A value that a lock guards, read with the lock and stored before the release; beside locks and values of others.")
public final class ValuesScenario extends Scenario {
    private static final int NAMES = 64;

    @Override
    protected String title() {
        return "A value that belongs to a lock: read with it, stored before it is released";
    }

    @Override
    protected void execute(Outcome outcome) throws IOException, InterruptedException {
        load(outcome, "(alone)", Workload.alone(NAMES));
        load(outcome, "(hot)", Workload.oneLock(options().jvms(), options().threads(), 0, Duration.ZERO));
    }

    private void load(Outcome outcome, String name, Workload workload) throws IOException, InterruptedException {
        RunResult declock =
                run(outcome, Peer.DECLOCK_VALUE, name, workload, options().runSettings());
        outcome.goal(Goal.figure(
                name + " until lock and value are there, p50 in us", declock == null ? null : declock.waitMicros(50)));
        List<RunResult> others = new ArrayList<>();
        for (Peer peer : options().competitors()) {
            Peer valued = peer.withValue();
            RunResult other = valued == null
                    ? null
                    : run(outcome, valued, name, workload, options().runSettings());
            if (other != null) {
                others.add(other);
            }
        }
        for (RunResult other : others) {
            outcome.goal(Goal.figure(
                    name + " lock and value, p50, of " + other.peer().label() + " against DecLock's",
                    Ratios.of(other, declock, result -> result.waitMicros(50))));
            outcome.goal(Goal.figure(
                    name + " cycles/s of DecLock against " + other.peer().label(),
                    Ratios.of(declock, other, RunResult::perSecond)));
        }
    }
}
