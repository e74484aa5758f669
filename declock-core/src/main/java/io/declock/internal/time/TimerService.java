// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.time;

/** Runs tasks later. Thread-safe. Tasks must be short and must not block. */
@FunctionalInterface
public interface TimerService {
    /** Runs {@code task} once, no earlier than {@code delayNanos} from now. */
    void schedule(long delayNanos, Runnable task);

    /**
     * Like {@link #schedule}, but the task can be cancelled. For long delays that are usually cancelled: a cancelled timer keeps no
     * reference to its task. A service that can also remove the timer from its queue overrides this method.
     */
    default Timer start(long delayNanos, Runnable task) {
        CancellableTask timer = new CancellableTask(task);
        schedule(delayNanos, timer);
        return timer;
    }

    /** A task that was scheduled. */
    @FunctionalInterface
    interface Timer {
        /** Keeps the task from beginning; does nothing if it has begun. Any thread, any number of times. */
        void cancel();
    }
}
