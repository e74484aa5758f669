// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.FairnessPolicy;
import io.declock.ReleaseRead;
import io.declock.simulation.PaperExperiment.Result;
import io.declock.simulation.PaperExperiment.Setting;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the cost of locking at the memory node on the paper's workloads. */
@Command(
        name = "paper",
        mixinStandardHelpOptions = true,
        description =
                "The paper's microbenchmark in virtual time: verbs per acquisition, on its default workload and around it.")
final class PaperCommand implements Callable<Integer> {
    @Option(names = "--seed", defaultValue = "1", description = "Seed (${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--millis",
            defaultValue = "40",
            description = "Virtual milliseconds counted per row (${DEFAULT-VALUE}).")
    private long millis;

    @Option(names = "--sweep", description = "Also vary the read share and the length of the critical section.")
    private boolean sweep;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Setting setting = Setting.DEFAULT.lasting(millis * 1_000_000);
        out.printf(
                "%d compute nodes with %d callers each, %,d locks, Zipf %.2f, seed %d, %d ms of virtual time per row%n",
                setting.computeNodes(), setting.clientsPerNode(), setting.locks(), setting.zipf(), seed, millis);
        out.printf(
                "%-10s %-9s %-10s %-4s %5s %6s | %7s %9s %9s %9s %9s | %6s %6s | %7s %7s%n",
                "policy",
                "pre-armed",
                "reads",
                "kept",
                "reads",
                "inside",
                "M acq/s",
                "acq verbs",
                "rel verbs",
                "refetches",
                "prefetch",
                "local",
                "peer",
                "p50 us",
                "p99 us");
        for (Setting row : rows(setting)) {
            print(PaperExperiment.run(seed, row), out);
        }
        out.println(
                "acq verbs, rel verbs, refetches, prefetch: per remote acquisition; local, peer: share of all acquisitions");
        out.flush();
        return 0;
    }

    private List<Setting> rows(Setting setting) {
        List<Setting> rows = new ArrayList<>();
        for (FairnessPolicy policy : FairnessPolicy.values()) {
            rows.add(setting.with(policy, false, ReleaseRead.ALWAYS));
            for (ReleaseRead read : ReleaseRead.values()) {
                rows.add(setting.with(policy, true, read));
            }
            rows.add(setting.with(policy, true, setting.releaseRead()).keeping());
        }
        if (sweep) {
            for (int percent = 0; percent <= 100; percent += 10) {
                rows.add(setting.with(percent / 100.0, 1));
            }
            for (int inside : new int[] {0, 2, 4, 8, 16, 32}) {
                rows.add(setting.with(0.5, inside));
            }
        }
        return rows;
    }

    private static void print(Result result, PrintWriter out) {
        Setting setting = result.setting();
        out.printf(
                "%-10s %-9s %-10s %-4s %5.2f %6d | %7.2f %9.4f %9.4f %9.4f %9.4f | %6.3f %6.3f | %7.1f %7.1f%n",
                setting.policy(),
                setting.preArmed() ? "yes" : "no",
                setting.releaseRead(),
                setting.keep() ? "yes" : "no",
                setting.readShare(),
                setting.operationsInside(),
                result.millionsPerSecond(),
                result.acquireOperationsPerRemote(),
                result.releaseOperationsPerRemote(),
                result.refetchesPerRelease(),
                (double) result.prefetches() / Math.max(1, result.remote()),
                (double) result.local() / Math.max(1, result.acquisitions()),
                (double) result.peer() / Math.max(1, result.acquisitions()),
                result.p50() / 1e3,
                result.p99() / 1e3);
        out.flush();
    }
}
