// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.benchmarks.peer.LockUnderTest;
import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.peer.Peers;
import io.declock.benchmarks.peer.Tuning;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * One client process. It connects, prints {@code READY}, and executes commands from its standard input: {@code RUN}, {@code MEASURE},
 * {@code STOP} (the window ends, threads end after their cycle, the report is written). It always ends with its standard input.
 */
@Command(name = "worker", hidden = true, description = "One client process of a benchmark.")
public final class WorkerCommand implements Callable<Integer> {
    private static final long END_SECONDS = 60;

    @Option(names = "--peer", required = true)
    private String peer;

    @Option(names = "--address", defaultValue = "")
    private String address;

    @Option(names = "--index", required = true)
    private int index;

    @Option(names = "--probe", required = true)
    private Path probeFile;

    @Option(names = "--workload", required = true)
    private Workload workload;

    @Option(names = "--tuning", required = true)
    private Tuning tuning;

    private final LoadThread.Stage stage = new LoadThread.Stage();

    @Override
    public Integer call() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        LockUnderTest lock = Peers.connect(Peer.of(peer), address, index, tuning);
        List<LoadThread> threads = threads(lock);
        System.out.println("READY");
        Map<String, Long> before = Map.of();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "RUN" -> threads.forEach(Thread::start);
                case "MEASURE" -> {
                    before = lock.counters();
                    stage.phase = LoadThread.Phase.MEASURE;
                }
                case "STOP" -> {
                    stage.phase = LoadThread.Phase.COOL_DOWN;
                    Map<String, Long> after = lock.counters();
                    // Each thread stops waiting for the lock only when it has acquired it once more.
                    stage.stop = true;
                    System.out.println(report(threads, before, after).toLine());
                }
                default -> throw new IllegalArgumentException("unknown order: " + line);
            }
        }
        lock.close();
        return 0;
    }

    private List<LoadThread> threads(LockUnderTest lock) throws Exception {
        int counters = workload.ownNames() ? workload.workers() * workload.names() : workload.names();
        ExclusionProbe probe = ExclusionProbe.open(probeFile, counters);
        ZipfSampler sampler = new ZipfSampler(workload.names(), workload.zipf());
        String[] shared = names("lock-", workload.names());
        List<LoadThread> threads = new ArrayList<>();
        for (int i = 0; i < workload.threads(); i++) {
            int worker = index * workload.threads() + i;
            boolean own = workload.ownNames();
            LoadThread thread = new LoadThread(
                    lock,
                    workload,
                    stage,
                    probe,
                    sampler,
                    worker,
                    own ? names("own-" + worker + "-", workload.names()) : shared,
                    own ? worker * workload.names() : 0);
            thread.setDaemon(true);
            threads.add(thread);
        }
        return threads;
    }

    private static String[] names(String prefix, int count) {
        String[] names = new String[count];
        for (int i = 0; i < count; i++) {
            names[i] = prefix + i;
        }
        return names;
    }

    private static WorkerReport report(List<LoadThread> threads, Map<String, Long> before, Map<String, Long> after)
            throws InterruptedException {
        List<Long> cycles = new ArrayList<>();
        Histogram reads = new Histogram(threads.get(0).readWaits);
        Histogram writes = new Histogram(threads.get(0).writeWaits);
        long writesEver = 0;
        long errors = 0;
        String firstError = "";
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        for (LoadThread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            if (thread.isAlive()) {
                errors++;
                firstError = thread.getName() + " still waits " + END_SECONDS + " s after the end of the run";
                continue;
            }
            cycles.add(thread.cycles);
            reads.add(thread.readWaits);
            writes.add(thread.writeWaits);
            writesEver += thread.writesEver;
            errors += thread.errors;
            if (thread.firstError != null && firstError.isEmpty()) {
                firstError = String.valueOf(thread.firstError);
            }
        }
        Map<String, Long> counted = new LinkedHashMap<>();
        after.forEach((key, value) -> counted.put(key, value - before.getOrDefault(key, 0L)));
        return new WorkerReport(cycles, reads, writes, writesEver, errors, firstError, counted);
    }
}
