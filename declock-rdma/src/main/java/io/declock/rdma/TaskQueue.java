// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Short tasks for a thread that sleeps in a channel of the adapter: who adds one wakes it. When that thread has ended, who adds one
 * runs it. One task runs at a time, in order, so that what belongs to the thread needs no lock then either. Thread-safe.
 */
final class TaskQueue {
    private static final Logger LOG = LoggerFactory.getLogger(TaskQueue.class);

    private final Runnable waker;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean running = new AtomicBoolean();
    /** Keeps the channel from being destroyed while its waiter is woken. */
    private final ReentrantLock lock = new ReentrantLock();

    private boolean destroyed;

    /**
     * Makes an empty one.
     *
     * @param waker wakes the thread; not called any more once the channel was destroyed
     */
    TaskQueue(Runnable waker) {
        this.waker = waker;
    }

    /** Has the thread run something soon; if that has ended, runs it at once, or has it run by who is just running another. */
    void execute(Runnable task) {
        tasks.add(task);
        if (ended.getCount() == 0) {
            run();
        } else {
            wake();
        }
    }

    /** Wakes the thread if it sleeps, or is about to. */
    void wake() {
        lock.lock();
        try {
            if (!destroyed) {
                waker.run();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Runs what was added; called by the thread. */
    void run() {
        // Who finds another thread running tasks leaves its own to it: so that one looks again when it has let go.
        while (!tasks.isEmpty() && running.compareAndSet(false, true)) {
            try {
                runAll();
            } finally {
                running.set(false);
            }
        }
    }

    private void runAll() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("A task of {} threw", Thread.currentThread().getName(), e);
            }
        }
    }

    /** The thread ends: it runs nothing after this. */
    void end() {
        ended.countDown();
        run();
    }

    /** Returns whether the thread ended in time. */
    boolean awaitEnd(int seconds) throws InterruptedException {
        return ended.await(seconds, TimeUnit.SECONDS);
    }

    /** Destroys the channel, in which nobody sleeps any more. */
    void destroy(Connection.Closing channel) throws IOException {
        lock.lock();
        try {
            destroyed = true;
            channel.close();
        } finally {
            lock.unlock();
        }
    }
}
