// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Time that stands still until it is moved. Thread-safe; timers run on the thread that moves it. */
public final class ManualTime implements Clock, TimerService {
    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private final AtomicLong now = new AtomicLong(1_000_000_000L);
    private long numbers;

    private record Timer(long at, long number, Runnable task) {}

    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public void schedule(long delayNanos, Runnable task) {
        lock.lock();
        try {
            timers.add(new Timer(now.get() + Math.max(0, delayNanos), numbers++, task));
        } finally {
            lock.unlock();
        }
    }

    /** Moves time and runs the timers on the way, each at its moment. */
    public void advance(Duration by) {
        long end = now.get() + by.toNanos();
        for (Timer next = poll(end); next != null; next = poll(end)) {
            now.accumulateAndGet(next.at, Math::max);
            next.task.run();
        }
        now.set(end);
    }

    /** Moves time at once, as if this process had been stopped: timers run late. */
    public void jump(Duration by) {
        now.addAndGet(by.toNanos());
        advance(Duration.ZERO);
    }

    private @Nullable Timer poll(long end) {
        lock.lock();
        try {
            Timer first = timers.peek();
            return first != null && first.at <= end ? timers.poll() : null;
        } finally {
            lock.unlock();
        }
    }
}
