// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Declares sessions dead whose lease and margin have run out since their last heartbeat. When its own ticks come late, this
 * process was paused and may not have read heartbeats that arrived meanwhile: then every session gets a full lease before any is
 * judged. Ticks only while there are sessions.
 */
final class LeaseWatch {
    private static final long MAX_TICK_NANOS = 100_000_000;

    private final MemoryNode node;
    private final SessionTable table;
    private final long marginNanos;
    private final long tickNanos;
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile long expectedTick;

    LeaseWatch(MemoryNode node, SessionTable table, MemoryNodeSettings settings) {
        this.node = node;
        this.table = table;
        this.marginNanos = settings.leaseMargin().toNanos();
        this.tickNanos =
                Math.max(1, Math.min(MAX_TICK_NANOS, settings.maxLease().toNanos() / 20));
    }

    /** Makes sure that the watch runs; called when a session begins. */
    void wake() {
        if (ticking.compareAndSet(false, true)) {
            arm();
        }
    }

    private void arm() {
        expectedTick = node.clock().nanoTime() + tickNanos;
        node.timer().schedule(tickNanos, this::tick);
    }

    private void tick() {
        long now = node.clock().nanoTime();
        // A shorter pause hides fewer heartbeats than the margin makes up for.
        boolean paused = now - expectedTick > Math.max(2 * tickNanos, marginNanos);
        for (MemoryNodeSession session : table.snapshot()) {
            // A session that is cut cannot have sent a heartbeat that is not read yet.
            if (paused && !session.isCut()) {
                session.grantFullLease(now);
            } else if (now - session.lastHeartbeat() > session.leaseNanos() + marginNanos) {
                table.expel(session, "its lease ran out");
            }
        }
        if (node.isClosed()) {
            return;
        }
        if (!table.snapshot().isEmpty()) {
            arm();
            return;
        }
        ticking.set(false);
        // A session may have begun between the look and the flag.
        if (!table.snapshot().isEmpty()) {
            wake();
        }
    }
}
