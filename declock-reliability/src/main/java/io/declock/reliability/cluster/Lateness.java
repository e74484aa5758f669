// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Measures how late a thread that only naps continues: the time that the machine and the other processes on it add to every wait. Bounds
 * on time can only hold in addition to that. Thread-safe.
 */
final class Lateness implements AutoCloseable {
    private static final long NAP_NANOS = 5_000_000;
    /** The usual lateness of timers on an idle machine, which every bound includes already. */
    private static final long USUAL_NANOS = 1_000_000;

    private static final int KEPT = 100_000;

    private record Late(long at, long nanos) {}

    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final Deque<Late> lates = new ArrayDeque<>();

    private final LongSupplier clock;
    private final LongConsumer parking;
    private volatile boolean stopped;

    /** Makes one without a napping thread. */
    Lateness(LongSupplier clock, LongConsumer parking) {
        this.clock = clock;
        this.parking = parking;
    }

    /** Makes one with a thread that naps until it is closed. */
    static Lateness measured() {
        Lateness lateness = new Lateness(System::nanoTime, LockSupport::parkNanos);
        Thread thread = new Thread(lateness::run, "lateness");
        thread.setDaemon(true);
        thread.start();
        return lateness;
    }

    private void run() {
        while (!stopped) {
            nap();
        }
    }

    /** Naps once, and records how much longer the nap took than it should, if that is more than usual. */
    void nap() {
        long due = clock.getAsLong() + NAP_NANOS;
        for (long left = NAP_NANOS; left > 0; left = due - clock.getAsLong()) {
            parking.accept(left);
        }
        long now = clock.getAsLong();
        if (now - due > USUAL_NANOS) {
            add(new Late(now, now - due));
        }
    }

    private void add(Late late) {
        mutex.lock();
        try {
            lates.addLast(late);
            if (lates.size() > KEPT) {
                lates.removeFirst();
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the sum of the lateness since then, in nanoseconds. */
    long nanosSince(long since) {
        mutex.lock();
        try {
            return lates.stream()
                    .filter(late -> late.at - since > 0)
                    .mapToLong(Late::nanos)
                    .sum();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        stopped = true;
    }
}
