// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.benchmarks.peer.ApplicationsUnderTest;
import io.declock.benchmarks.peer.Peer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * One process with clients of an application. The process with index 0 writes the data before it is ready. A cycle is an operation, and a wait is its time. A client that reads
 * a torn value fails, and so does the run.
 */
@Command(name = "application-worker", hidden = true, description = "One process of an application's benchmark.")
public final class ApplicationWorkerCommand extends Worker {
    private static final long HIGHEST = TimeUnit.MINUTES.toNanos(2);

    @Option(names = "--application", required = true)
    private ApplicationKind application;

    @Override
    public Integer call() throws Exception {
        int count = workload.threads();
        try (ApplicationsUnderTest process =
                ApplicationsUnderTest.joined(Peer.of(peer), application.make(count), address, index, count, tuning)) {
            if (index == 0) {
                process.clients().load();
            }
            obey(new Operations(process, index * count, count));
        }
        return 0;
    }

    private static final class Operations implements Load {
        private final ApplicationsUnderTest process;
        private final int firstClient;
        /** By client. Operations of one client end one after the other. */
        private final List<Histogram> done;

        private volatile boolean measuring;

        Operations(ApplicationsUnderTest process, int firstClient, int count) {
            this.process = process;
            this.firstClient = firstClient;
            this.done = Stream.generate(() -> new Histogram(HIGHEST, 3))
                    .limit(count)
                    .toList();
        }

        @Override
        public void run() {
            process.clients().start((client, kind, nanos) -> {
                if (measuring) {
                    done.get(client - firstClient).recordValue(Math.min(nanos, HIGHEST));
                }
            });
        }

        @Override
        public void measure() {
            measuring = true;
        }

        @Override
        public void coolDown() {
            measuring = false;
        }

        @Override
        public Map<String, Long> counters() {
            return process.counters();
        }

        @Override
        public WorkerReport end(Map<String, Long> counted) {
            String error = error();
            Histogram all = new Histogram(HIGHEST, 3);
            done.forEach(all::add);
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

        /** Lets all clients end; returns what failed, or nothing. */
        private String error() {
            process.clients().stop();
            try {
                process.clients().await();
                return "";
            } catch (CompletionException e) {
                return String.valueOf(e.getCause());
            }
        }
    }
}
