// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts a thread at most once, and never after it was ended: the mutex makes whoever ends it wait for an interrupt that is
 * under way. Thread-safe.
 */
final class Interruption {
    private final ReentrantLock mutex = new ReentrantLock();
    private final Thread thread;
    private boolean ended;
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

    /** No interrupt from now on. On the thread itself an interrupt that it has not noticed is taken back. */
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
