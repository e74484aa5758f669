// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs what one client is told one after the other, in the order of arrival, on the threads that bring it. Thread-safe. */
final class Turns {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Consumer<Throwable> failed;

    /**
     * Makes one.
     *
     * @param failed told what an event throws: no thread of a fabric waits for that
     */
    Turns(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    void run(Runnable event) {
        waiting.add(event);
        if (count.getAndIncrement() > 0) {
            return;
        }
        do {
            runNext(waiting.remove());
        } while (count.decrementAndGet() > 0);
    }

    private void runNext(Runnable next) {
        try {
            next.run();
        } catch (RuntimeException | Error e) {
            failed.accept(e);
        }
    }
}
