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
import java.util.stream.IntStream;
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
    private static final String WRITER = "writer";

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
                    stage.end();
                    System.out.println(report(threads, before, after).toLine());
                }
                default -> throw new IllegalArgumentException("unknown order: " + line);
            }
        }
        lock.close();
        return 0;
    }

    private List<LoadThread> threads(LockUnderTest lock) throws Exception {
        List<LoadThread.Role> roles = new ArrayList<>();
        List<String> shared = names("lock-", workload.names());
        int first = index * workload.threads();
        for (int worker = first; worker < Math.min(first + workload.threads(), workload.workers()); worker++) {
            roles.add(role(worker, shared));
        }
        Workload.Writer writer = workload.writerIn(index);
        if (writer != null) {
            roles.add(new LoadThread.Role(WRITER, shared, 0, 0, 0, Pace.every(writer.every())));
        }
        ExclusionProbe probe = ExclusionProbe.open(probeFile, workload.allNames());
        ZipfSampler sampler = new ZipfSampler(workload.names(), workload.zipf());
        List<LoadThread> threads = new ArrayList<>();
        for (LoadThread.Role role : roles) {
            LoadThread thread = new LoadThread(lock, workload, stage, probe, sampler, role);
            thread.setDaemon(true);
            threads.add(thread);
        }
        return threads;
    }

    private LoadThread.Role role(int worker, List<String> shared) {
        boolean own = workload.ownNames();
        Pace pace = workload.turn().isZero()
                ? Pace.steady()
                : Pace.turns(workload.turn(), worker, workload.workers(), System::currentTimeMillis);
        return new LoadThread.Role(
                "load-" + worker,
                own ? names("own-" + worker + "-", workload.names()) : shared,
                own ? worker * workload.names() : 0,
                worker + 1L,
                workload.readShare(),
                pace);
    }

    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private static WorkerReport report(List<LoadThread> threads, Map<String, Long> before, Map<String, Long> after)
            throws InterruptedException {
        List<Long> cycles = new ArrayList<>();
        Histogram reads = new Histogram(threads.get(0).readWaits);
        Histogram writes = new Histogram(threads.get(0).writeWaits);
        Histogram singles = new Histogram(threads.get(0).singleWaits);
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
            if (!thread.getName().equals(WRITER)) {
                cycles.add(thread.cycles);
            }
            reads.add(thread.readWaits);
            writes.add(thread.writeWaits);
            singles.add(thread.singleWaits);
            writesEver += thread.writesEver;
            errors += thread.errors;
            if (thread.firstError != null && firstError.isEmpty()) {
                firstError = String.valueOf(thread.firstError);
            }
        }
        Map<String, Long> counted = new LinkedHashMap<>();
        after.forEach((key, value) -> counted.put(key, value - before.getOrDefault(key, 0L)));
        return new WorkerReport(cycles, reads, writes, singles, writesEver, errors, firstError, counted);
    }
}
