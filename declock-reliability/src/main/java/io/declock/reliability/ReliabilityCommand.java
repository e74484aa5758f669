// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Command line: recovery figures, and the soak. */
@Command(
        name = "declock-reliability",
        mixinStandardHelpOptions = true,
        description = "Faults upon real processes.",
        subcommands = {RecoveryCommand.class, SoakCommand.class})
public final class ReliabilityCommand {
    private ReliabilityCommand() {}

    /** Runs it. */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new ReliabilityCommand()).execute(arguments));
    }
}
