// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
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
 * Short tasks for a thread that sleeps in a channel of the adapter. Adding a task wakes that thread. When the thread has ended, the adding
 * thread runs the task. One task runs at a time, in order, so that the thread's data needs no lock even after the thread has ended.
 * Thread-safe.
 */
final class TaskQueue {
    private static final Logger LOG = LoggerFactory.getLogger(TaskQueue.class);

    private final Runnable waker;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean running = new AtomicBoolean();
    /** Keeps the channel from being destroyed while its waiting thread is woken. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private boolean destroyed;

    /**
     * Makes an empty queue.
     *
     * @param waker wakes the thread; no longer called once the channel is destroyed
     */
    TaskQueue(Runnable waker) {
        this.waker = waker;
    }

    /**
     * Makes the thread run a task soon. If that thread has ended, this thread runs it at once, or leaves it to one that is running another
     * task.
     */
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

    /** Runs the added tasks; called by the thread. */
    void run() {
        // A thread that finds another one running tasks leaves its task to that one. So each thread checks for tasks
        // again after it has run some.
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
                LOG.error("A task of {} failed", Thread.currentThread().getName(), e);
            }
        }
    }

    /** Called when the thread ends: it runs no task after this. */
    void end() {
        ended.countDown();
        run();
    }

    /** Returns whether the thread ended in time. */
    boolean awaitEnd(int seconds) throws InterruptedException {
        return ended.await(seconds, TimeUnit.SECONDS);
    }

    /** Destroys the channel, in which no thread may sleep any more. */
    void destroy(Closeable channel) throws IOException {
        lock.lock();
        try {
            destroyed = true;
            channel.close();
        } finally {
            lock.unlock();
        }
    }
}
