// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.internal.local.LocalLock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Leaves every memory node, and cleanly only once no lock has a queue position. A position may belong to an orphaned request or a release
 * under way. If the compute node left before the release landed, other compute nodes would have to treat it as dead. Thread-safe.
 */
final class Leaving {
    private static final long LEAVE_CHECK_NANOS = 5_000_000L;

    private final MemoryNodeLinks links;
    private final LockTable table;
    private final NodeRuntime runtime;
    private final AtomicBoolean checkPlanned = new AtomicBoolean();

    Leaving(MemoryNodeLinks links, LockTable table, NodeRuntime runtime) {
        this.links = links;
        this.table = table;
        this.runtime = runtime;
    }

    /**
     * Leaves. After an interrupt or the time-out the sessions only end, and other compute nodes have to wait for them.
     *
     * @param clean whether to wait for the locks
     */
    void leave(boolean clean, Duration timeout) {
        long nanos = NodeRuntime.nanos(timeout);
        try {
            boolean idle = clean && runtime.waiting().await(this::hasNoPosition, nanos);
            links.all().forEach(link -> link.stop(idle));
            runtime.waiting().await(() -> links.sessions().isEmpty(), nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        links.all().forEach(link -> link.stop(false));
    }

    /** Returns whether no lock has a queue position; checks again later if one has. */
    private boolean hasNoPosition() {
        for (LocalLock lock : table.all()) {
            if (lock.hasPosition()) {
                checkAgainLater();
                return false;
            }
        }
        return true;
    }

    /** Plans one check, however often the condition is looked at in between. */
    private void checkAgainLater() {
        if (checkPlanned.compareAndSet(false, true)) {
            runtime.timer().schedule(LEAVE_CHECK_NANOS, () -> {
                checkPlanned.set(false);
                runtime.waiting().signal();
            });
        }
    }
}
