// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.time;

/** Runs tasks later. Thread-safe. Tasks must be short and must not block. */
@FunctionalInterface
public interface TimerService {
    /** Runs {@code task} once, no earlier than {@code delayNanos} from now. */
    void schedule(long delayNanos, Runnable task);
}
