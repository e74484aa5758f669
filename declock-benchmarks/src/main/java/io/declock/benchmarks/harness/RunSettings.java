// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.harness;

import io.declock.benchmarks.peer.Tuning;
import io.declock.benchmarks.server.RunningServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Settings of a run.
 *
 * @param warmUp duration of the load before the window; the JIT needs 45 s with the slower locks
 * @param measure length of the window
 * @param jvmArguments arguments of every client JVM, the same for all locks
 * @param tuning DecLock's settings
 * @param crowd number of compute nodes that are joined beside those which are measured
 * @param crowdReport receives what came of them
 */
public record RunSettings(
        Duration warmUp,
        Duration measure,
        List<String> jvmArguments,
        Tuning tuning,
        int crowd,
        Consumer<Crowd.Report> crowdReport) {
    /** Makes the settings of a run without a crowd. */
    public RunSettings(Duration warmUp, Duration measure, List<String> jvmArguments, Tuning tuning) {
        this(warmUp, measure, jvmArguments, tuning, 0, report -> {});
    }

    /** Flags of every client process: a fixed heap, one collector thread, and the flags that Hazelcast and Netty require. */
    public static final List<String> JVM = Stream.concat(
                    Stream.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"),
                    RunningServer.HAZELCAST_JVM.stream())
            .toList();

    /** Returns these settings with some of DecLock's settings changed, see {@link Tuning#with}. */
    public RunSettings tuned(Map<String, String> changes) {
        return new RunSettings(warmUp, measure, jvmArguments, tuning.with(changes), crowd, crowdReport);
    }

    /** Returns these settings with other compute nodes joined beside those which are measured. */
    public RunSettings beside(int size, Consumer<Crowd.Report> report) {
        return new RunSettings(warmUp, measure, jvmArguments, tuning, size, report);
    }
}
