// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.time;

/** Runs tasks later. Thread-safe. Tasks must be short and must not block. */
@FunctionalInterface
public interface TimerService {
    /** Runs {@code task} once, no earlier than {@code delayNanos} from now. */
    void schedule(long delayNanos, Runnable task);

    /**
     * As {@link #schedule}, unless it is cancelled before. For delays that are long and seldom run out: a cancelled timer keeps
     * nothing of its task. A service that can also takes the timer itself out of its queue, and overrides this to do so.
     */
    default Timer start(long delayNanos, Runnable task) {
        CancellableTask timer = new CancellableTask(task);
        schedule(delayNanos, timer);
        return timer;
    }

    /** A task that was scheduled. */
    @FunctionalInterface
    interface Timer {
        /** Makes sure that the task does not begin any more; nothing if it has. Any thread, any number of times. */
        void cancel();
    }
}
