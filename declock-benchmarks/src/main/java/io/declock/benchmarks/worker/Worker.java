// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.benchmarks.peer.Tuning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/**
 * One process of a run. It connects, prints {@code READY}, and executes commands from its standard input: {@code RUN}, {@code MEASURE},
 * {@code STOP} (the window ends, cycles end, the report is written). It always ends with its standard input.
 */
abstract class Worker implements Callable<Integer> {
    @Option(names = "--peer", required = true)
    String peer;

    @Option(names = "--address", defaultValue = "")
    String address;

    @Option(names = "--index", required = true)
    int index;

    @Option(names = "--probe", required = true)
    Path probeFile;

    @Option(names = "--workload", required = true)
    Workload workload;

    @Option(names = "--tuning", required = true)
    Tuning tuning;

    /** What the process does to its load when it is told to. */
    interface Load {
        /** Lets cycles begin. */
        void run();

        /** Lets the window begin. */
        void measure();

        /** Lets the window end; cycles go on. */
        void coolDown();

        /** Returns what was counted since the process began, by name. */
        Map<String, Long> counters();

        /**
         * Ends all cycles, and returns what they have been in the window.
         *
         * @param counted what was counted in the window
         */
        WorkerReport end(Map<String, Long> counted) throws InterruptedException;
    }

    /** Executes the commands. */
    static void obey(Load load) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("READY");
        Map<String, Long> before = Map.of();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "RUN" -> load.run();
                case "MEASURE" -> {
                    before = load.counters();
                    load.measure();
                }
                case "STOP" -> {
                    load.coolDown();
                    Map<String, Long> counted = difference(before, load.counters());
                    System.out.println(load.end(counted).toLine());
                }
                default -> throw new IllegalArgumentException("unknown order: " + line);
            }
        }
    }

    private static Map<String, Long> difference(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> counted = new LinkedHashMap<>();
        after.forEach((key, value) -> counted.put(key, value - before.getOrDefault(key, 0L)));
        return counted;
    }
}
