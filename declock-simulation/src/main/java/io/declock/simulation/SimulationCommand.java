// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.simulation.OptionsChooser.Profile;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the simulation. */
@Command(
        name = "declock-simulation",
        mixinStandardHelpOptions = true,
        description = "Deterministic simulation of the lock protocol.",
        subcommands = {
            SimulationCommand.Run.class,
            PaperCommand.class,
            ScaleCommand.class,
            ResetCommand.class,
            CalibrationCommand.class
        })
public final class SimulationCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Entry point. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new SimulationCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Runs seeds until one fails. */
    @Command(
            name = "run",
            mixinStandardHelpOptions = true,
            description = "Runs seeds; the first that violates a property is run again with a trace.")
    static final class Run implements Callable<Integer> {
        private static final int BATCH = 500;

        @Option(
                names = "--profile",
                description = "What may go wrong: ${COMPLETION-CANDIDATES}. All of them if none is given.")
        private List<Profile> profiles = List.of(Profile.values());

        @Option(names = "--first", defaultValue = "0", description = "First seed (${DEFAULT-VALUE}).")
        private long first;

        @Option(
                names = "--seeds",
                defaultValue = "1000",
                description = "Number of seeds per profile (${DEFAULT-VALUE}).")
        private long seeds;

        @Option(
                names = "--seconds",
                defaultValue = "0",
                description = "Run for that long instead, always with new seeds.")
        private long seconds;

        @Option(
                names = "--trace",
                defaultValue = "100",
                description = "Lines of trace shown of a failed seed (${DEFAULT-VALUE}).")
        private int lines;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            long deadline = System.nanoTime() + seconds * 1_000_000_000L;
            long from = first;
            do {
                long count = seconds > 0 ? BATCH : seeds;
                for (Profile profile : profiles) {
                    if (!runBatch(profile, from, count, out)) {
                        return 1;
                    }
                }
                from += count;
            } while (seconds > 0 && System.nanoTime() - deadline < 0);
            return 0;
        }

        private boolean runBatch(Profile profile, long from, long count, PrintWriter out) {
            out.printf("profile %s, seeds %d to %d: ", profile, from, from + count - 1);
            if (count == 1) {
                out.printf("%n%s%n", OptionsChooser.choose(from, profile));
            }
            out.flush();
            long began = System.nanoTime();
            List<Simulation.Outcome> outcomes = LongStream.range(from, from + count)
                    .parallel()
                    .mapToObj(seed -> Simulation.run(seed, OptionsChooser.choose(seed, profile), 0))
                    .toList();
            out.printf(
                    "%d events, %d queue positions, %d resets, %.1f s%n",
                    outcomes.stream().mapToLong(Simulation.Outcome::events).sum(),
                    outcomes.stream()
                            .mapToLong(Simulation.Outcome::acquisitions)
                            .sum(),
                    outcomes.stream().mapToLong(Simulation.Outcome::resets).sum(),
                    (System.nanoTime() - began) / 1e9);
            List<Simulation.Outcome> failed = outcomes.stream()
                    .filter(outcome -> outcome.violation() != null)
                    .toList();
            if (failed.isEmpty()) {
                return true;
            }
            out.printf(
                    "%d of them failed: %s%n",
                    failed.size(),
                    failed.stream().map(Simulation.Outcome::seed).limit(20).toList());
            show(profile, failed.get(0).seed(), out);
            return false;
        }

        private void show(Profile profile, long seed, PrintWriter out) {
            SimulationOptions options = OptionsChooser.choose(seed, profile);
            out.printf("seed %d of profile %s%n%s%n", seed, profile, options);
            Simulation.Outcome again = Simulation.run(seed, options, lines);
            again.trace().forEach(out::println);
            Violation violation = again.violation();
            if (violation != null) {
                out.println(violation);
                if (violation.getCause() != null) {
                    violation.getCause().printStackTrace(out);
                }
            }
            out.flush();
        }
    }
}
