// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what happens until it may be told, then tells it in order. Events are run by one thread at a time, none while the lock is
 * held. Thread-safe.
 */
final class EarlyEvents {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyEvents.class);

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private final Queue<Runnable> kept = new ArrayDeque<>();
    private boolean open;
    private boolean running;

    /** Runs an event, after those that were kept, when it is allowed. */
    void run(Runnable event) {
        lock.lock();
        try {
            kept.add(event);
            if (!open || running) {
                return;
            }
            running = true;
        } finally {
            lock.unlock();
        }
        runKept();
    }

    /** Allows events, after {@code first}. */
    void open(Runnable first) {
        lock.lock();
        try {
            if (open) {
                return;
            }
            open = true;
            running = true;
        } finally {
            lock.unlock();
        }
        run(first, "What comes before all events");
        runKept();
    }

    /** What throws must not keep the others from being told. */
    private static void run(Runnable event, String what) {
        try {
            event.run();
        } catch (RuntimeException e) {
            LOG.error("{} of a session threw", what, e);
        }
    }

    private void runKept() {
        while (true) {
            Runnable next;
            lock.lock();
            try {
                next = kept.poll();
                if (next == null) {
                    running = false;
                    return;
                }
            } finally {
                lock.unlock();
            }
            run(next, "An event");
        }
    }
}
