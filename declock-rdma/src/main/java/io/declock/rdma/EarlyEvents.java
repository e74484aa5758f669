// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps events until they may be delivered, then delivers them in order. One thread at a time runs events, and it does not hold the lock
 * meanwhile. Thread-safe.
 */
final class EarlyEvents {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyEvents.class);

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Queue<Runnable> kept = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean open;

    @GuardedBy("lock")
    private boolean running;

    /** Runs an event after the kept ones, as soon as events are allowed. */
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
        run(first, "The first event");
        runKept();
    }

    /** Runs one event. An event that fails must not keep the others from being delivered. */
    private static void run(Runnable event, String what) {
        try {
            event.run();
        } catch (RuntimeException e) {
            LOG.error("{} of a session failed", what, e);
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
