// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * Lets an event loop poll for a while after its last work before it sleeps: a wake-up costs more than a short wait. Belongs to one event
 * loop's thread.
 */
final class PollingStrategy implements SelectStrategy {
    private final long pollNanos;
    private long lastBusy = System.nanoTime();
    private boolean slept;

    PollingStrategy(long pollNanos) {
        this.pollNanos = pollNanos;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Yielding is a courtesy here, nothing relies on it.
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (pollNanos == 0) {
            return hasTasks ? selectNow.get() : SELECT;
        }
        int ready = selectNow.get();
        long now = System.nanoTime();
        if (ready > 0 || hasTasks || slept) {
            // A wake-up from sleep means that there was work.
            slept = false;
            lastBusy = now;
            return ready > 0 || hasTasks ? ready : CONTINUE;
        }
        if (now - lastBusy < pollNanos) {
            // Another ready thread on this core runs first: polling must not take the time of the thread that it waits
            // for.
            Thread.yield();
            return CONTINUE;
        }
        slept = true;
        return SELECT;
    }
}
