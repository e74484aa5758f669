// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import io.declock.LockHandle;
import io.declock.LockLostException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends locks at their times, on one thread, which ends when there is nothing to do. Releasing a lock does not block it. Thread-safe.
 */
final class LockTimer {
    private static final int IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor executor;
    private final Set<Kept> kept = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    LockTimer() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "declock-shedlock");
            thread.setDaemon(true);
            return thread;
        });
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
    }

    /** Runs an action after {@code nanos}. */
    Future<?> start(long nanos, Runnable action) {
        return executor.schedule(action, nanos, TimeUnit.NANOSECONDS);
    }

    /** Releases a lock after {@code nanos}, or when this timer is closed. */
    void keep(LockHandle handle, long nanos) {
        Kept lock = new Kept(handle);
        kept.add(lock);
        Future<?> later = start(nanos, lock);
        lock.later = later;
        if (closed) {
            later.cancel(false);
            lock.run();
        }
    }

    /** Returns how many actions are to run. */
    int pending() {
        return executor.getQueue().size();
    }

    void open() {
        closed = false;
    }

    void close() {
        closed = true;
        kept.forEach(Kept::run);
    }

    /** Releases a lock that was lost or is not needed any more. */
    static void release(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException e) {
            // No task runs under it.
        }
    }

    /** A lock whose task has ended. It is released once, by the timer, by the closing, or by its loss. */
    private final class Kept implements Runnable {
        private final LockHandle handle;
        private volatile @Nullable Future<?> later;

        Kept(LockHandle handle) {
            this.handle = handle;
        }

        @Override
        public void run() {
            if (kept.remove(this)) {
                release(handle);
                Future<?> started = later;
                if (started != null) {
                    started.cancel(false);
                }
            }
        }
    }
}
