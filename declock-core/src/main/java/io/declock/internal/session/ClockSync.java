// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.monitor.Isolated;
import io.declock.internal.monitor.Loop;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * Measures the offset of this process's clock against each memory node's, unless a heartbeat has done so within the interval (DecLock,
 * section 5.3). The paper's barrier on a counter hangs when a compute node dies in it; the midpoint of a request and its answer involves no other compute node. A wrong clock
 * costs fairness, never safety. Thread-safe.
 */
public final class ClockSync extends Loop {
    private final Supplier<Collection<MemoryNodeLink>> links;

    /** Makes the clock synchronisation; {@link #start} begins it. */
    public ClockSync(Supplier<Collection<MemoryNodeLink>> links, Surroundings surroundings, Duration interval) {
        super("clock synchronisation", surroundings.clock(), surroundings.timer(), interval.toNanos());
        this.links = links;
    }

    /** Begins to measure, at once. */
    public void start() {
        if (!isRunning()) {
            wake();
            step(0);
        }
    }

    @Override
    protected void step(long lateNanos) {
        for (MemoryNodeLink link : links.get()) {
            NodeSession session = link.session();
            if (session != null) {
                Isolated.run(
                        "Measuring the clock of memory node " + link.address(),
                        () -> session.measureClock(intervalNanos()));
            }
        }
    }
}
