// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.time;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task whose reference is dropped when it is cancelled, although its timer goes on. Thread-safe. */
final class CancellableTask implements Runnable, TimerService.Timer {
    private final AtomicReference<@Nullable Runnable> task;

    CancellableTask(Runnable task) {
        this.task = new AtomicReference<>(task);
    }

    @Override
    public void run() {
        Runnable due = task.getAndSet(null);
        if (due != null) {
            due.run();
        }
    }

    @Override
    public void cancel() {
        task.set(null);
    }
}
