// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.EventLoops;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures how late event loops are: each loop runs a task at short intervals, and notes how late it came to it. A loop that is held up now
 * shows when it is asked. Thread-safe.
 *
 * <p>It has timers, because a gauge is read seldom. A server's lease watch looks often and only while there are sessions, and measures with
 * {@code EventLoopLag} without them.
 */
final class LongestEventLoopLag {
    private static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Duration WINDOW = Duration.ofSeconds(30);

    private final List<Probe> probes = new ArrayList<>();

    /** Measures over half a minute to a minute. */
    LongestEventLoopLag(EventLoops loops) {
        this(loops, WINDOW);
    }

    /** Measures over a window to two windows. */
    LongestEventLoopLag(EventLoops loops, Duration window) {
        for (EventExecutor loop : loops.group()) {
            probes.add(new Probe(loop, window.toNanos()));
        }
    }

    /** Returns the longest time for which a loop was late in the last one or two windows, up to now. */
    Duration longest() {
        long now = System.nanoTime();
        return Duration.ofNanos(
                probes.stream().mapToLong(probe -> probe.longest(now)).max().orElse(0));
    }

    /** The task of one event loop, which alone writes its fields. */
    private static final class Probe implements Runnable {
        private volatile long dueAt = System.nanoTime() + INTERVAL_NANOS;
        private final long windowNanos;
        private volatile Window window = new Window(System.nanoTime(), 0, 0);

        /** The longest time of the window that began then, so far, and of the one before. */
        private record Window(long beganAt, long longest, long longestBefore) {
            Window with(long late, long now, long windowNanos) {
                if (now - beganAt < windowNanos) {
                    return late <= longest ? this : new Window(beganAt, late, longestBefore);
                }
                return new Window(now, late, longest);
            }
        }

        Probe(EventExecutor loop, long windowNanos) {
            this.windowNanos = windowNanos;
            loop.scheduleWithFixedDelay(this, INTERVAL_NANOS, INTERVAL_NANOS, TimeUnit.NANOSECONDS);
        }

        @Override
        public void run() {
            long now = System.nanoTime();
            window = window.with(now - dueAt, now, windowNanos);
            dueAt = now + INTERVAL_NANOS;
        }

        long longest(long now) {
            Window seen = window;
            long overdue = Math.max(0, now - dueAt);
            return Math.max(overdue, Math.max(seen.longest, seen.longestBefore));
        }
    }
}
