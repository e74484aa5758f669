// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.monitor.Loop;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Which loop of a memory node, or of its server, has not run for so long that it will probably not run again. Thread-safe.
 *
 * @param loops the memory node's own ones
 * @param serverLagNanos returns by how much an event loop of the server is late
 */
record StalledLoops(List<Loop> loops, LongSupplier serverLagNanos) {
    private static final int INTERVALS = 5;
    private static final long SHORTEST_NANOS = 2_000_000_000L;

    /** Returns the first of them and since when, or an empty text if all run. */
    String describe() {
        for (Loop loop : loops) {
            long overdue = loop.overdueNanos();
            if (overdue > Math.max(INTERVALS * loop.intervalNanos(), SHORTEST_NANOS)) {
                return loop.name() + " has not run for "
                        + Duration.ofNanos(overdue + loop.intervalNanos()).toMillis() + " ms";
            }
        }
        long lag = serverLagNanos.getAsLong();
        if (lag > SHORTEST_NANOS) {
            return "an event loop of its server was held up for "
                    + Duration.ofNanos(lag).toMillis() + " ms";
        }
        return "";
    }
}
