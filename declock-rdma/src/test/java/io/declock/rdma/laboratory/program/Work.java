// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.Counters;
import io.declock.Counters.Event;
import io.declock.Guarded;
import io.declock.LockHandle;
import io.declock.LockMode;
import io.declock.LockRequest;
import io.declock.Purpose;
import io.declock.ValueCodec;
import io.declock.Verb;
import io.declock.internal.node.ComputeNode;
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
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.Consumer;

/**
 * Threads that take and give back locks for a while, and write down every hold: {@code work FILE THREADS LOCKS MILLISECONDS
 * READ_PERCENT [values]}. Locks are chosen by Zipf's law with exponent 1, the first the most often. With values, each writer changes what its lock guards.
 */
final class Work {
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final int HUNDRED = 100;

    private final ComputeNode node;
    private final String name;
    private final Path file;
    private final int threads;
    private final int locks;
    private final long millis;
    private final int readPercent;
    private final boolean values;
    private final LongAccumulator longestWait = new LongAccumulator(Math::max, 0);

    Work(ComputeNode node, String name, String[] words) {
        this.node = node;
        this.name = name;
        this.file = Path.of(words[1]);
        this.threads = Integer.parseInt(words[2]);
        this.locks = Integer.parseInt(words[3]);
        this.millis = Long.parseLong(words[4]);
        this.readPercent = Integer.parseInt(words[5]);
        this.values = words.length > 6;
    }

    void run(Consumer<String> say) throws InterruptedException, ExecutionException, IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        List<Future<List<RecordedHold>>> workers = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        Count before = Count.of(node.monitor().counters());
        say.accept("working");
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
        Count done = Count.of(node.monitor().counters()).minus(before);
        say.accept("grants " + done.granted + " " + done.relayed);
        say.accept("counted " + lines.size() + " " + done + " " + TimeUnit.NANOSECONDS.toMillis(longestWait.get()));
    }

    private List<RecordedHold> work(String owner, long end) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(owner.hashCode());
        List<RecordedHold> holds = new ArrayList<>();
        while (System.nanoTime() < end) {
            // The cumulated shares of 1/k grow as the logarithm does.
            String lock = "work-" + (int) Math.pow(locks, random.nextDouble());
            LockMode mode = random.nextInt(HUNDRED) < readPercent ? LockMode.READ : LockMode.WRITE;
            long asked = System.nanoTime();
            LockRequest request = LockRequest.of(lock, mode).waitTime(WAIT);
            LockHandle handle;
            Runnable release;
            if (values && mode == LockMode.WRITE) {
                Changed changed = Changed.by(node, lock, request);
                handle = changed.handle();
                release = changed.release();
            } else {
                handle = node.acquire(request);
                release = handle::close;
            }
            long began = System.nanoTime();
            longestWait.accumulate(began - asked);
            Thread.onSpinWait();
            holds.add(new RecordedHold(
                    lock, mode == LockMode.WRITE, handle.fencingToken(), owner, began, System.nanoTime()));
            release.run();
        }
        return holds;
    }

    /** A lock with a new value as long as can be. Builds from before there were values do not load this. */
    private record Changed(LockHandle handle, Runnable release) {
        private static final int LONGEST = 1_024;

        static Changed by(ComputeNode node, String lock, LockRequest request) throws InterruptedException {
            Guarded.Held<String> held =
                    node.guardedValues().of(lock, ValueCodec.text()).acquire(request);
            String token = held.handle().fencingToken() + " ";
            held.set(token + "x".repeat(LONGEST - token.length()));
            return new Changed(held.handle(), held::close);
        }
    }

    /**
     * What the fabric and the protocol counted: remote acquisitions, verbs by purpose, grants that messages brought, and messages to peers that went through the memory node.
     */
    private record Count(long remote, long acquire, long entry, long all, long granted, long relayed) {
        static Count of(Counters counters) {
            long all = 0;
            for (Purpose purpose : Purpose.values()) {
                all += counters.verbs(purpose);
            }
            return new Count(
                    counters.get(Event.REMOTE_ACQUISITION),
                    counters.verbs(Purpose.ACQUIRE) + counters.verbs(Purpose.REQUEUE, Verb.FETCH_AND_ADD),
                    counters.verbs(Purpose.ENTRY),
                    all,
                    counters.get(Event.GRANT_PEER),
                    counters.get(Event.PEER_RELAYED));
        }

        Count minus(Count before) {
            return new Count(
                    remote - before.remote,
                    acquire - before.acquire,
                    entry - before.entry,
                    all - before.all,
                    granted - before.granted,
                    relayed - before.relayed);
        }

        @Override
        public String toString() {
            return remote + " " + acquire + " " + entry + " " + all;
        }
    }
}
