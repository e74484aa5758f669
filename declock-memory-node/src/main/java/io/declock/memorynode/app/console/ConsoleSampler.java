// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.LockActivity;
import io.declock.internal.memorynode.MemoryNodeStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.annotation.Scheduled;

/** Takes a sample of the memory node each second, and keeps those of the last minutes, so that a page that is opened has curves at once. Thread-safe. */
class ConsoleSampler {
    /** How many samples are kept. */
    static final int KEPT = 300;

    private static final int HOTTEST = 50;
    /** For so long after the last request the locks are looked at, which takes time where there are many. */
    private static final long WATCHED_NANOS = 15_000_000_000L;

    private final ConsoleSource source;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Deque<Sample> samples = new ArrayDeque<>();

    @GuardedBy("lock")
    private @Nullable MemoryNodeStatus last;

    @GuardedBy("lock")
    private long lastAt;

    @GuardedBy("lock")
    private List<LockActivity> hottest = List.of();

    private volatile long watchedUntil = System.nanoTime();

    ConsoleSampler(ConsoleSource source) {
        this.source = source;
    }

    /**
     * What happened in about a second.
     *
     * @param at when, in milliseconds since 1970
     * @param fetchAndAdds FAAs per second that the memory node's program has executed; those by RDMA pass it by
     * @param compareAndSwaps CASes per second
     * @param reads READs per second
     * @param writes WRITEs per second
     * @param sessions services
     * @param recordsInUse locks that have a record
     */
    record Sample(
            long at,
            double fetchAndAdds,
            double compareAndSwaps,
            double reads,
            double writes,
            int sessions,
            long recordsInUse) {}

    /** Samples, the oldest first, and the locks that were used most in the last second. */
    record Seen(List<Sample> samples, List<LockActivity> hottest) {}

    @Scheduled(fixedRate = 1_000)
    void sample() {
        MemoryNodeStatus now = source.status();
        long nanos = System.nanoTime();
        List<LockActivity> busy = watchedUntil - nanos > 0 ? source.operator().hottest(HOTTEST) : List.of();
        lock.lock();
        try {
            MemoryNodeStatus before = last;
            if (before != null && before.incarnation() == now.incarnation()) {
                samples.add(between(before, now, (nanos - lastAt) / 1e9));
                if (samples.size() > KEPT) {
                    samples.remove();
                }
            }
            last = now;
            lastAt = nanos;
            hottest = busy;
        } finally {
            lock.unlock();
        }
    }

    private static Sample between(MemoryNodeStatus before, MemoryNodeStatus now, double seconds) {
        return new Sample(
                System.currentTimeMillis(),
                (now.fetchAndAdds() - before.fetchAndAdds()) / seconds,
                (now.compareAndSwaps() - before.compareAndSwaps()) / seconds,
                (now.reads() - before.reads()) / seconds,
                (now.writes() - before.writes()) / seconds,
                now.sessions().size(),
                now.recordsInUse());
    }

    /** Returns what was seen, and has the locks be looked at for a while. */
    Seen seen() {
        watchedUntil = System.nanoTime() + WATCHED_NANOS;
        lock.lock();
        try {
            return new Seen(List.copyOf(samples), hottest);
        } finally {
            lock.unlock();
        }
    }
}
