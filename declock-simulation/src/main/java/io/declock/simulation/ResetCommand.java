// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.simulation.ResetExperiment.Result;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the cost of resets. */
@Command(
        name = "resets",
        mixinStandardHelpOptions = true,
        description = "The cost of a reset, and how long it makes others wait while a reader holds the lock.")
final class ResetCommand implements Callable<Integer> {
    @Option(
            names = "--hold-seconds",
            defaultValue = "10",
            description = "How long the reader holds the lock (${DEFAULT-VALUE}).")
    private long seconds;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "%7s | %10s | %12s %12s %12s %5s | %12s %12s%n",
                "", "free", "ours", "reader", "writer", "kept", "the paper's", "reader");
        out.printf(
                "%7s | %10s | %12s %12s %12s %5s | %12s %12s%n",
                "nodes", "reset us", "reset us", "waits us", "waits ms", "", "reset ms", "waits ms");
        Duration hold = Duration.ofSeconds(seconds);
        for (int nodes = 4; nodes <= 128; nodes *= 2) {
            Result free = ResetExperiment.run(nodes, Duration.ZERO, false);
            Result ours = ResetExperiment.run(nodes, hold, false);
            Result theirs = ResetExperiment.run(nodes, hold, true);
            out.printf(
                    "%7d | %10.1f | %12.1f %12.1f %12.1f %5s | %12.1f %12.1f%n",
                    nodes,
                    free.reset() / 1e3,
                    ours.reset() / 1e3,
                    ours.readerWait() / 1e3,
                    ours.writerWait() / 1e6,
                    ours.kept() ? "yes" : "NO",
                    theirs.reset() / 1e6,
                    theirs.readerWait() / 1e6);
            out.flush();
        }
        return 0;
    }
}
