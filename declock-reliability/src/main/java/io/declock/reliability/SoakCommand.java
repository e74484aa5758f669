// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.reliability.scenario.Soak;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Injects random faults under load, for a given time. */
@Command(name = "soak", mixinStandardHelpOptions = true, description = "Random faults under load, for a given time.")
final class SoakCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--minutes", description = "Duration in minutes (default: 30).")
    private double minutes = 30;

    @Option(names = "--lease-millis", description = "Lease of every process (default: 1000).")
    private long leaseMillis = 1000;

    @Option(names = "--seed", description = "Seed of the faults (default: a new one each time).")
    private long seed = System.nanoTime();

    @Override
    public Integer call() {
        Duration length = Duration.ofMillis((long) (minutes * 60_000));
        Soak.run(
                length, Duration.ofMillis(leaseMillis), seed, spec.commandLine().getOut()::println);
        return 0;
    }
}
