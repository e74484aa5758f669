// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.simulation.PaperExperiment.Result;
import io.declock.simulation.PaperExperiment.Setting;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what locking costs with more and more compute nodes and memory nodes. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = "Verbs per acquisition with up to 4,095 compute nodes and 64 memory nodes, in virtual time.")
final class ScaleCommand implements Callable<Integer> {
    private static final int LOCKS_PER_NODE = 100;

    /** Memory nodes and compute nodes; a join tells all others, so that both numbers at their largest take hours. */
    private static final int[][] SIZES = {{1, 8}, {1, 64}, {1, 512}, {1, 4095}, {8, 512}, {64, 512}};

    @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--hot", description = "Only the rows with one lock.")
    private boolean hot;

    @Option(names = "--most", defaultValue = "4095", description = "Most compute nodes (${DEFAULT-VALUE}).")
    private int most;

    @Option(
            names = "--micros",
            defaultValue = "2000",
            description = "Virtual microseconds counted per row; 25 times that with one lock (${DEFAULT-VALUE}).")
    private long micros;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "one caller per compute node, half of them readers; seed %d, %d us of virtual time per row%n",
                seed, micros);
        out.printf(
                "%-12s %-13s %-9s | %12s %9s %9s %9s %9s %9s | %7s %7s%n",
                "memory nodes",
                "compute nodes",
                "locks",
                "acquisitions",
                "acq verbs",
                "rel verbs",
                "refetches",
                "looks",
                "resets",
                "p50 us",
                "p99 us");
        for (int[] size : SIZES) {
            if (size[1] <= most && !hot) {
                print(size, size[1] * LOCKS_PER_NODE, out);
            }
        }
        for (int[] size : SIZES) {
            if (size[1] <= most && size[0] == 1) {
                print(size, 1, out);
            }
        }
        out.println("verbs, refetches, looks: per acquisition at a memory node; resets: verbs of resets, all together");
        out.flush();
        return 0;
    }

    private void print(int[] size, int locks, PrintWriter out) {
        Setting setting = Setting.DEFAULT
                .lasting(locks == 1 ? 25_000 * micros : 1_000 * micros)
                .with(size[0], size[1], locks);
        Result result = PaperExperiment.run(seed, setting);
        out.printf(
                "%-12d %-13d %-9s | %12d %9.4f %9.4f %9.4f %9.4f %9d | %7.1f %7.1f%n",
                size[0],
                size[1],
                locks == 1 ? "1" : LOCKS_PER_NODE + " each",
                result.acquisitions(),
                result.acquireOperationsPerRemote(),
                result.releaseOperationsPerRemote(),
                result.refetchesPerRelease(),
                (double) result.selfChecks() / Math.max(1, result.remote()),
                result.resetOperations(),
                result.p50() / 1e3,
                result.p99() / 1e3);
        out.flush();
    }
}
