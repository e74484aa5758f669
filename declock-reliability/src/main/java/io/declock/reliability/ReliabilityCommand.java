// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: recovery times, and the soak. */
@Command(
        name = "declock-reliability",
        mixinStandardHelpOptions = true,
        description = "Injects faults into real processes.",
        subcommands = {RecoveryCommand.class, SoakCommand.class})
public final class ReliabilityCommand {
    private ReliabilityCommand() {}

    /** Runs a command. */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new ReliabilityCommand()).execute(arguments));
    }
}
