// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How much later than due a thread goes on that does nothing but nap: what the machine and the other processes on it add to every
 * wait. A promise about time can only be kept on top of that. Thread-safe.
 */
final class Lateness implements AutoCloseable {
    private static final long NAP_NANOS = 5_000_000;
    /** What timers of an idle machine are late by is in every bound already. */
    private static final long USUAL_NANOS = 1_000_000;

    private static final int KEPT = 100_000;

    private record Late(long at, long nanos) {}

    private final ReentrantLock mutex = new ReentrantLock();
    private final Deque<Late> lates = new ArrayDeque<>();
    private volatile boolean stopped;

    Lateness() {
        Thread thread = new Thread(this::run, "lateness");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!stopped) {
            long due = System.nanoTime() + NAP_NANOS;
            for (long left = NAP_NANOS; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            long now = System.nanoTime();
            if (now - due > USUAL_NANOS) {
                add(new Late(now, now - due));
            }
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

    /** Returns the sum of what was late since then, in nanoseconds. */
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
