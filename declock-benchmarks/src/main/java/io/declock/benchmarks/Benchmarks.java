// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks;

import io.declock.benchmarks.peer.Tuning;
import io.declock.benchmarks.report.Json;
import io.declock.benchmarks.scenario.ApplicationsScenario;
import io.declock.benchmarks.scenario.CompareCommand;
import io.declock.benchmarks.scenario.FieldScenario;
import io.declock.benchmarks.scenario.HotScenario;
import io.declock.benchmarks.scenario.LocalScenario;
import io.declock.benchmarks.scenario.MemoryScenario;
import io.declock.benchmarks.scenario.NamesScenario;
import io.declock.benchmarks.scenario.ReadConfigScenario;
import io.declock.benchmarks.scenario.ReadMostlyScenario;
import io.declock.benchmarks.scenario.SameScenario;
import io.declock.benchmarks.scenario.ScaleScenario;
import io.declock.benchmarks.scenario.SettingsScenario;
import io.declock.benchmarks.scenario.UncontendedScenario;
import io.declock.benchmarks.scenario.ValuesScenario;
import io.declock.benchmarks.scenario.ZipfScenario;
import io.declock.benchmarks.server.FillCommand;
import io.declock.benchmarks.server.HazelcastMemberCommand;
import io.declock.benchmarks.server.MemoryNodeCommand;
import io.declock.benchmarks.server.ZooKeeperCommand;
import io.declock.benchmarks.worker.ApplicationWorkerCommand;
import io.declock.benchmarks.worker.CrowdCommand;
import io.declock.benchmarks.worker.WorkerCommand;
import io.declock.benchmarks.worker.Workload;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks' command line. */
@Command(
        name = "declock-benchmarks",
        mixinStandardHelpOptions = true,
        description = "Measures DecLock over real sockets on this machine, and other locks that users could choose.",
        subcommands = {
            UncontendedScenario.class,
            HotScenario.class,
            ZipfScenario.class,
            ReadMostlyScenario.class,
            SameScenario.class,
            ReadConfigScenario.class,
            ValuesScenario.class,
            FieldScenario.class,
            ApplicationsScenario.class,
            LocalScenario.class,
            MemoryScenario.class,
            NamesScenario.class,
            ScaleScenario.class,
            SettingsScenario.class,
            CompareCommand.class,
            MicroCommand.class,
            WorkerCommand.class,
            ApplicationWorkerCommand.class,
            CrowdCommand.class,
            MemoryNodeCommand.class,
            HazelcastMemberCommand.class,
            ZooKeeperCommand.class,
            FillCommand.class
        })
public final class Benchmarks implements Runnable {
    /** Runs one command; the process ends with its exit status. */
    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    /** Runs one command and returns its exit status. */
    static int execute(String... arguments) {
        return commandLine().execute(arguments);
    }

    /** Returns the command line, with its commands. */
    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Benchmarks())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(Workload.class, json -> Json.read(json, Workload.class))
                .registerConverter(Tuning.class, json -> Json.read(json, Tuning.class));
        // JMH's options, which only JMH knows.
        Objects.requireNonNull(line.getSubcommands().get("micro")).setUnmatchedOptionsArePositionalParams(true);
        return line;
    }

    @Override
    public void run() {
        new CommandLine(this).usage(System.out);
    }
}
