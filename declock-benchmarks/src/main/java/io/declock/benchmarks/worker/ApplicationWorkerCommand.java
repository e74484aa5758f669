// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.benchmarks.peer.ApplicationsUnderTest;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.peer.Tuning;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * One process with clients of an application. It takes the orders of {@link WorkerCommand}; the process with index 0 writes the data before it is ready. A cycle is an operation, and a wait is its time. A client that reads
 * a torn value fails, and so does the run.
 */
@Command(name = "application-worker", hidden = true, description = "One process of an application's benchmark.")
public final class ApplicationWorkerCommand implements Callable<Integer> {
    private static final long HIGHEST = TimeUnit.MINUTES.toNanos(2);

    @Option(names = "--application", required = true)
    private ApplicationKind application;

    @Option(names = "--peer", required = true)
    private String peer;

    @Option(names = "--address", required = true)
    private String address;

    @Option(names = "--index", required = true)
    private int index;

    @SuppressWarnings("UnusedVariable") // The coordinator gives it to every worker; values have checksums here.
    @Option(names = "--probe")
    private String probe;

    @Option(names = "--workload", required = true)
    private Workload workload;

    @Option(names = "--tuning", required = true)
    private Tuning tuning;

    private volatile boolean measuring;

    @Override
    public Integer call() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        int count = workload.threads();
        // Operations of one client end one after the other.
        List<Histogram> done =
                Stream.generate(() -> new Histogram(HIGHEST, 3)).limit(count).toList();
        try (ApplicationsUnderTest process =
                ApplicationsUnderTest.joined(Peer.of(peer), application.make(count), address, index, count, tuning)) {
            if (index == 0) {
                process.clients().load();
            }
            System.out.println("READY");
            Map<String, Long> before = Map.of();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                switch (line) {
                    case "RUN" ->
                        process.clients().start((client, kind, nanos) -> {
                            if (measuring) {
                                done.get(client - index * count).recordValue(Math.min(nanos, HIGHEST));
                            }
                        });
                    case "MEASURE" -> {
                        before = process.counters();
                        measuring = true;
                    }
                    case "STOP" -> {
                        measuring = false;
                        Map<String, Long> after = process.counters();
                        String error = end(process);
                        System.out.println(report(done, error, before, after).toLine());
                    }
                    default -> throw new IllegalArgumentException("unknown order: " + line);
                }
            }
        }
        return 0;
    }

    /** Lets all clients end; returns what failed, or nothing. */
    private static String end(ApplicationsUnderTest process) {
        process.clients().stop();
        try {
            process.clients().await();
            return "";
        } catch (CompletionException e) {
            return String.valueOf(e.getCause());
        }
    }

    private static WorkerReport report(
            List<Histogram> done, String error, Map<String, Long> before, Map<String, Long> after) {
        Histogram all = new Histogram(HIGHEST, 3);
        done.forEach(all::add);
        Map<String, Long> counted = new LinkedHashMap<>();
        after.forEach((key, value) -> counted.put(key, value - before.getOrDefault(key, 0L)));
        return new WorkerReport(
                done.stream().map(Histogram::getTotalCount).toList(),
                new Histogram(HIGHEST, 3),
                all,
                new Histogram(HIGHEST, 3),
                0,
                error.isEmpty() ? 0 : 1,
                error,
                counted);
    }
}
