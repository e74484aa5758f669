// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.internal.monitor.Isolated;
import io.declock.internal.time.TimerService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread with a queue of timers. A cancelled timer is removed from the queue; closing drops all timers. Thread-safe. */
final class TimerThread implements TimerService, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TimerThread.class);

    private static final Timer NEVER = () -> {};

    final ScheduledThreadPoolExecutor executor;

    TimerThread(String name) {
        executor = new ScheduledThreadPoolExecutor(1, task -> daemon(task, name));
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setRemoveOnCancelPolicy(true);
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void schedule(long delayNanos, Runnable task) {
        start(delayNanos, task);
    }

    @Override
    public Timer start(long delayNanos, Runnable task) {
        if (executor.isShutdown()) {
            return NEVER;
        }
        try {
            Future<?> scheduled =
                    executor.schedule(() -> Isolated.run("A timer's task", task), delayNanos, TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException e) {
            log.debug("A timer was not started: the node is closing");
            return NEVER;
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
