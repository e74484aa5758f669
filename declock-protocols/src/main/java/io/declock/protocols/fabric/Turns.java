// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs what one client is told one after the other, in the order of arrival, on the threads that bring it. Thread-safe. */
final class Turns {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    void run(Runnable event) {
        waiting.add(event);
        if (count.getAndIncrement() > 0) {
            return;
        }
        do {
            Runnable next = waiting.remove();
            next.run();
        } while (count.decrementAndGet() > 0);
    }
}
