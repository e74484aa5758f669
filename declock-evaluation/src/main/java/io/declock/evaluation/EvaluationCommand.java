// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Assumption;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.papers.Experiments;
import io.declock.evaluation.papers.Sensitivity;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of the evaluation. */
@Command(
        name = "declock-evaluation",
        mixinStandardHelpOptions = true,
        description = "The experiments of the papers, in virtual time.",
        subcommands = {
            EvaluationCommand.ListAll.class,
            EvaluationCommand.Run.class,
            EvaluationCommand.Smoke.class,
            EvaluationCommand.Full.class,
            EvaluationCommand.Vary.class
        })
public final class EvaluationCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Entry point. */
    public static void main(String[] args) {
        // The figures are painted without a screen.
        System.setProperty("java.awt.headless", "true");
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new EvaluationCommand()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Prints the experiments. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Prints the experiments.")
    static final class ListAll implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            for (Experiment experiment : Experiments.all()) {
                About about = experiment.about();
                out.printf("%-28s %-10s %-34s %s%n", about.id(), about.paper().label(), about.where(), about.title());
            }
            out.flush();
            return 0;
        }
    }

    /** Runs some experiments. */
    @Command(name = "run", mixinStandardHelpOptions = true, description = "Runs experiments, and writes a report.")
    static final class Run implements Callable<Integer> {
        @Parameters(arity = "1..*", paramLabel = "EXPERIMENT", description = "Ids of the experiments, see list.")
        private List<String> ids = List.of();

        @Option(names = "--thin", description = "Only the ends and the middle of each sweep.")
        private boolean thin;

        @Mixin
        private RunOptions options;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            List<Experiment> chosen = new ArrayList<>();
            for (String id : ids) {
                chosen.add(Experiments.all().stream()
                        .filter(experiment -> experiment.about().id().equals(id))
                        .findFirst()
                        .orElseThrow(() -> new ParameterException(
                                spec.commandLine(), "There is no experiment " + id + "; list prints them.")));
            }
            return options.run(chosen, new Size(1, thin), spec.commandLine());
        }
    }

    /** Runs everything, in minutes. */
    @Command(
            name = "smoke",
            mixinStandardHelpOptions = true,
            description = "Runs all experiments at a size for each build.")
    static final class Smoke implements Callable<Integer> {
        @Mixin
        private RunOptions options;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            return options.run(Experiments.all(), Size.SMOKE, spec.commandLine());
        }
    }

    /** Runs everything. */
    @Command(
            name = "full",
            mixinStandardHelpOptions = true,
            description = "Runs all experiments at full size: about a quarter of an hour on two cores.")
    static final class Full implements Callable<Integer> {
        @Mixin
        private RunOptions options;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            return options.run(Experiments.all(), Size.FULL, spec.commandLine());
        }
    }

    /** Runs DecLock's experiments under one assumption after the other. */
    @Command(
            name = "sensitivity",
            mixinStandardHelpOptions = true,
            description =
                    "Runs experiments of DecLock's paper with one assumption at a time made otherwise: three minutes on two cores.")
    static final class Vary implements Callable<Integer> {
        @Option(
                names = "--only",
                split = ",",
                description = "Ids of the assumptions, beside the default; all if not given.")
        private List<String> only = List.of();

        @Option(names = "--thin", description = "Only the ends and the middle of each sweep.")
        private boolean thin;

        @Mixin
        private RunOptions options;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            List<Assumption> all = Sensitivity.assumptions();
            List<String> ids = all.stream().map(Assumption::id).toList();
            only.stream().filter(id -> !ids.contains(id)).findFirst().ifPresent(id -> {
                throw new ParameterException(spec.commandLine(), "There is no assumption " + id + ", but " + ids + ".");
            });
            List<Assumption> chosen = new ArrayList<>();
            for (Assumption assumption : all) {
                if (chosen.isEmpty() || only.isEmpty() || only.contains(assumption.id())) {
                    chosen.add(assumption);
                }
            }
            return options.vary(chosen, new Size(Sensitivity.TIME, thin), spec.commandLine());
        }
    }
}
