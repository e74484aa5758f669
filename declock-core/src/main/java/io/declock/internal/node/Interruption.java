// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts a thread at most once, and never after it was ended: the mutex makes the thread that ends it wait for an interrupt under way.
 * Thread-safe.
 */
final class Interruption {
    private final ReentrantLock mutex = new ReentrantLock();
    private final Thread thread;

    @GuardedBy("mutex")
    private boolean ended;

    @GuardedBy("mutex")
    private boolean interrupted;

    Interruption(Thread thread) {
        this.thread = thread;
    }

    void interrupt() {
        mutex.lock();
        try {
            if (!ended) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Ends the interruption: no interrupt follows. If the caller is the thread itself, this clears an interrupt that it has not noticed.
     */
    void end() {
        mutex.lock();
        try {
            ended = true;
            if (interrupted && Thread.currentThread() == thread) {
                Thread.interrupted();
            }
        } finally {
            mutex.unlock();
        }
    }
}
