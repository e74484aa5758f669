// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.tcp.wire.EventLoops;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Measures how late event loops are: each call leaves a task on every loop and looks how long the previous one waited for its turn. It has no
 * timer of its own. Called by one thread at a time.
 *
 * <p>The lease watch needs to know of the time since its own last look (rule C10). The longest time of a window, which a process shows of its
 * connections' loops, would save the sessions of the silent for as long as that window.
 */
final class EventLoopLag {
    private final List<Probe> probes = new ArrayList<>();

    EventLoopLag(EventLoops loops) {
        for (EventExecutor loop : loops.group()) {
            probes.add(new Probe(loop));
        }
    }

    /**
     * Returns the longest time in nanoseconds that a task of the last call waited, or has waited if its loop has not come to it yet. A loop
     * that was held up between two calls and has gone on since is therefore seen by the second one.
     */
    long sinceLastCall() {
        long now = System.nanoTime();
        long worst = 0;
        for (Probe probe : probes) {
            worst = Math.max(worst, probe.look(now));
        }
        return worst;
    }

    /** The task on one event loop. */
    private static final class Probe implements Runnable {
        private final EventExecutor loop;
        private long leftAt;
        private boolean left;
        // Written by the loop. A task that has not run is under way.
        private volatile boolean underWay;
        private volatile long waited;

        Probe(EventExecutor loop) {
            this.loop = loop;
        }

        long look(long now) {
            if (underWay) {
                return now - leftAt;
            }
            long last = left ? waited : 0;
            leave(now);
            return last;
        }

        private void leave(long now) {
            leftAt = now;
            left = true;
            waited = 0;
            underWay = true;
            try {
                loop.execute(this);
            } catch (RejectedExecutionException e) {
                // The loop has ended; the server is being closed.
                underWay = false;
            }
        }

        @Override
        public void run() {
            waited = System.nanoTime() - leftAt;
            underWay = false;
        }
    }
}
