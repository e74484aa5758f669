// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How late waits of this process end that have nothing to do with locks: what the machine, other processes and the JVM add to
 * every wait. A promise about time can only be kept on top of that.
 */
final class StallMeter implements AutoCloseable {
    private static final int THREADS = 4;
    private static final long NAP_NANOS = 5_000_000;

    private final AtomicLong longest = new AtomicLong();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(StallMeter::daemon);
    private final ExecutorService callbacks = Executors.newFixedThreadPool(THREADS, StallMeter::daemon);
    private volatile boolean stopped;

    StallMeter() {
        for (int i = 0; i < THREADS; i++) {
            daemon(this::nap).start();
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "stall-meter");
        thread.setDaemon(true);
        return thread;
    }

    private void nap() {
        while (!stopped) {
            long due = System.nanoTime() + NAP_NANOS;
            for (long left = NAP_NANOS; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            endedAfter(due);
        }
    }

    private void endedAfter(long due) {
        longest.accumulateAndGet(System.nanoTime() - due, Math::max);
    }

    /** Waits as long beside a wait that is judged: by a timer and a callback, as futures do, but without a lock. */
    void alongside(long waitNanos) {
        long due = System.nanoTime() + waitNanos;
        timer.schedule(() -> callbacks.execute(() -> endedAfter(due)), waitNanos, TimeUnit.NANOSECONDS);
    }

    /** Returns the longest so far, in nanoseconds. */
    long longestNanos() {
        return longest.get();
    }

    @Override
    public void close() {
        stopped = true;
        timer.shutdownNow();
        callbacks.shutdownNow();
    }
}
