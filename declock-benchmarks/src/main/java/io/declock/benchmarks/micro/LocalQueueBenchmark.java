// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.micro;

import io.declock.LocalSettings;
import io.declock.LockMode;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The local queue: one caller enters and another gives up, with sixteen in between. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class LocalQueueBenchmark implements LocalLock.Host {
    private static final int LENGTH = 16;

    private final Deque<Waiter> waiters = new ArrayDeque<>();
    private LocalLock lock;

    /** Fills the queue of a lock whose record is never found. */
    @Setup
    public void fill() {
        lock = new LocalLock(this, "queue");
        for (int i = 0; i < LENGTH; i++) {
            enter();
        }
    }

    private void enter() {
        Waiter waiter = new Waiter(new Object());
        lock.acquire(waiter);
        waiters.addLast(waiter);
    }

    /** One caller enters at the tail, the first gives up. */
    @Benchmark
    public boolean enterAndAbandon() {
        enter();
        return lock.abandon(waiters.removeFirst());
    }

    @Override
    public LocalSettings localSettings() {
        return LocalSettings.DEFAULTS;
    }

    @Override
    public Clock clock() {
        return System::nanoTime;
    }

    @Override
    public void bind(LocalLock unbound) {}

    @Override
    public void forgotten(LocalLock retired) {}

    @Override
    public void holdLost(String name, LockMode mode) {}

    @Override
    public void tellOfLoss(Runnable listener) {}

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void held(int change) {}

    private static final class Waiter extends LocalWaiter {
        Waiter(Object owner) {
            super(owner, LockMode.WRITE, false);
        }

        @Override
        public void run() {}
    }
}
