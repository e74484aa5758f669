// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.fabric.Purpose;
import io.declock.monitor.Counters;
import io.declock.monitor.Counters.Event;
import io.declock.node.ComputeNode;
import io.declock.simulation.RecordedHold;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Threads that take and give back the same few locks for a while, and write down every hold:
 * {@code work FILE THREADS LOCKS MILLISECONDS READ_PERCENT}.
 */
final class Work {
    private static final Duration WAIT = Duration.ofSeconds(30);

    private final ComputeNode node;
    private final String name;
    private final Path file;
    private final int threads;
    private final int locks;
    private final long millis;
    private final int readPercent;

    Work(ComputeNode node, String name, String[] words) {
        this.node = node;
        this.name = name;
        this.file = Path.of(words[1]);
        this.threads = Integer.parseInt(words[2]);
        this.locks = Integer.parseInt(words[3]);
        this.millis = Long.parseLong(words[4]);
        this.readPercent = Integer.parseInt(words[5]);
    }

    void run() throws InterruptedException, ExecutionException, IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        List<Future<List<RecordedHold>>> workers = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                String owner = name + "/" + i;
                workers.add(pool.submit(() -> work(owner, end)));
            }
            for (Future<List<RecordedHold>> worker : workers) {
                worker.get().forEach(hold -> lines.add(hold.toLine()));
            }
        }
        Files.write(file, lines, StandardCharsets.UTF_8);
        Counters counters = node.monitor().counters();
        System.out.println(name + ": " + lines.size() + " holds, " + counters.get(Event.REMOTE_ACQUISITION)
                + " remote acquisitions, " + counters.get(Event.GRANT_PEER) + " grants by peers, "
                + counters.verbs(Purpose.ACQUIRE) + " verbs to acquire, " + counters.get(Event.RESET_COMPLETED)
                + " resets");
    }

    private List<RecordedHold> work(String owner, long end) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(owner.hashCode());
        List<RecordedHold> holds = new ArrayList<>();
        while (System.nanoTime() < end) {
            String lock = "work-" + random.nextInt(locks);
            LockMode mode = random.nextInt(100) < readPercent ? LockMode.READ : LockMode.WRITE;
            LockHandle handle = node.acquire(LockRequest.of(lock, mode).waitTime(WAIT));
            long began = System.nanoTime();
            Thread.onSpinWait();
            holds.add(new RecordedHold(
                    lock, mode == LockMode.WRITE, handle.fencingToken(), owner, began, System.nanoTime()));
            handle.close();
        }
        return holds;
    }
}
