// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.shedlock;

import io.declock.LockHandle;
import io.declock.LockLostException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends locks at their times, on one thread, which ends when there is nothing to do. Releasing a lock does not block it. Thread-safe.
 */
final class LockTimer {
    private static final int IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor executor;

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

    /** Returns how many actions are to run. */
    int pending() {
        return executor.getQueue().size();
    }

    /** Releases a lock that was lost or is not needed any more. */
    static void release(LockHandle handle) {
        try {
            handle.close();
        } catch (LockLostException e) {
            // No task runs under it.
        }
    }
}
