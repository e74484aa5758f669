// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the evaluation. */
@Command(
        name = "declock-evaluation",
        mixinStandardHelpOptions = true,
        description = "The experiments of the papers, in virtual time.")
public final class EvaluationCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Entry point. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new EvaluationCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
