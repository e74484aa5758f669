// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.reliability.cluster.Cluster;
import io.declock.reliability.scenario.Recovery;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Kills a process of each role in turn and prints the time until the next grant. */
@Command(
        name = "recovery",
        mixinStandardHelpOptions = true,
        description =
                "Kills holder, waiter, initiator of a reset and memory node, and prints the time until the next grant.")
final class RecoveryCommand implements Callable<Integer> {
    private static final List<BiFunction<Cluster<?>, Integer, Recovery>> ROLES =
            List.of(Recovery::holder, Recovery::waiter, Recovery::resetInitiator, Recovery::memoryNode);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--lease-millis",
            split = ",",
            description = "Leases to measure with (default: 600,1500,3000).",
            paramLabel = "MILLIS")
    private List<Long> leases = new ArrayList<>(List.of(600L, 1500L, 3000L));

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        boolean inTime = true;
        out.println("| killed | lease | until the next grant | promised |");
        out.println("| --- | ---: | ---: | ---: |");
        for (long lease : leases) {
            try (Cluster<?> cluster = Cluster.local(Duration.ofMillis(lease))) {
                int lock = 0;
                for (BiFunction<Cluster<?>, Integer, Recovery> role : ROLES) {
                    Recovery recovery = role.apply(cluster, lock++);
                    out.printf(
                            "| %s | %d ms | %d ms | %d ms |%n",
                            recovery.role(),
                            lease,
                            recovery.untilGrant().toMillis(),
                            recovery.promised().toMillis());
                    out.flush();
                    inTime &= recovery.isInTime();
                }
                cluster.judge(System.nanoTime());
            }
        }
        return inTime ? 0 : 1;
    }
}
