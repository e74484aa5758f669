// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunSettings;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.peer.Tuning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that every scenario understands. */
public final class RunOptions {
    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "45",
            description =
                    "Load before the measured window (default: ${DEFAULT-VALUE}; the JIT of slower locks needs it).")
    private double warmUpSeconds;

    @Option(
            names = "--measure",
            paramLabel = "SECONDS",
            defaultValue = "20",
            description = "The measured window (default: ${DEFAULT-VALUE}).")
    private double measureSeconds;

    @Option(
            names = "--rounds",
            defaultValue = "1",
            description = "Number of rounds of all runs; goals are judged by the medians of the rounds' ratios"
                    + " (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--jvms", defaultValue = "4", description = "Client processes (default: ${DEFAULT-VALUE}).")
    private int jvms;

    @Option(names = "--threads", defaultValue = "8", description = "Threads in each (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "PEER",
            description =
                    "Other locks to compare DecLock with (default: all that can run here); 'none' for DecLock alone.")
    private @Nullable List<String> peers;

    @Option(
            names = {"-s", "--setting"},
            paramLabel = "KEY=VALUE",
            description =
                    "A setting of DecLock: policy, local-limit, local-micros, pre-armed, release-read, spin-micros,"
                            + " transport, poll-micros, server-poll-micros, max-idle-locks, keep, direct-completions, rdma (an adapter's address).")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--jvm-argument",
            paramLabel = "ARG",
            description = "A further argument of every client JVM, the same for all locks.")
    private List<String> jvmArguments = new ArrayList<>();

    @Option(names = "--json", paramLabel = "FILE", description = "File for the results as JSON.")
    private @Nullable Path json;

    /** Returns the settings of runs. */
    RunSettings runSettings() {
        List<String> jvm = new ArrayList<>(RunSettings.JVM);
        jvm.addAll(jvmArguments);
        return new RunSettings(seconds(warmUpSeconds), seconds(measureSeconds), jvm, Tuning.DEFAULTS.with(settings));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    int rounds() {
        return Math.max(1, rounds);
    }

    int jvms() {
        return jvms;
    }

    int threads() {
        return threads;
    }

    /** Returns the competitors to run. */
    List<Peer> competitors() {
        List<String> named = peers;
        if (named == null) {
            return Peer.competitors();
        }
        return named.stream()
                .filter(label -> !label.equals("none"))
                .map(Peer::of)
                .toList();
    }

    @Nullable
    Path json() {
        return json;
    }
}
