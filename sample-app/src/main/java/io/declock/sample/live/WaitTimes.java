// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.GrantKind;
import io.declock.LockMode;
import io.declock.spi.LockObserver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.stereotype.Component;

/** Records how long orders of this instance waited for their locks: recently, and since the start. Thread-safe. */
@Component
class WaitTimes implements LockObserver {
    /** Number of calls of {@link #turn} after which a wait no longer counts. */
    private static final int WINDOWS = 10;

    private final Histogram all = new Histogram();
    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final Deque<Histogram> past = new ArrayDeque<>();
    /** Changed under the mutex. */
    private volatile Histogram current = new Histogram();

    @Override
    public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
        all.record(waitNanos);
        current.record(waitNanos);
    }

    /** Begins a new window and returns the waits of the last ones. */
    Histogram turn() {
        mutex.lock();
        try {
            past.addLast(current);
            current = new Histogram();
            if (past.size() > WINDOWS) {
                past.removeFirst();
            }
            Histogram recent = new Histogram();
            past.forEach(recent::add);
            return recent;
        } finally {
            mutex.unlock();
        }
    }

    /** Discards the waits of the last windows. */
    void restart() {
        mutex.lock();
        try {
            past.clear();
            current = new Histogram();
        } finally {
            mutex.unlock();
        }
    }

    /** Returns all waits since the start. */
    Histogram all() {
        return all;
    }
}
