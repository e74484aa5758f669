// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.session;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Measures the offset of this process's clock against each memory node's, at an interval (DecLock, section 5.3). The paper's
 * barrier on a counter hangs when a compute node dies in it; the midpoint of a request and its answer needs nobody else. A wrong
 * clock costs fairness, never safety. Thread-safe.
 */
public final class ClockSync {
    private final Supplier<Collection<MemoryNodeLink>> links;
    private final Surroundings surroundings;
    private final long intervalNanos;
    private final AtomicLong run = new AtomicLong();

    /** Makes one that does nothing before {@link #start}. */
    public ClockSync(Supplier<Collection<MemoryNodeLink>> links, Surroundings surroundings, Duration interval) {
        this.links = links;
        this.surroundings = surroundings;
        this.intervalNanos = interval.toNanos();
    }

    /** Begins to measure. */
    public void start() {
        long mine = (run.get() | 1) + 2;
        run.set(mine);
        tick(mine);
    }

    /** Stops measuring. */
    public void stop() {
        run.set((run.get() | 1) + 1);
    }

    /** Returns whether it measures. */
    public boolean isRunning() {
        return (run.get() & 1) == 1;
    }

    private void tick(long mine) {
        if (run.get() != mine) {
            return;
        }
        for (MemoryNodeLink link : links.get()) {
            NodeSession session = link.session();
            if (session != null) {
                session.heartbeat();
            }
        }
        surroundings.timer().schedule(intervalNanos, () -> tick(mine));
    }
}
