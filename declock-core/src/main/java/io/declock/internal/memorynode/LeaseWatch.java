// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.monitor.Isolated;
import io.declock.internal.monitor.Loop;

/**
 * Declares a session dead when its lease and the margin have run out since its last heartbeat. If a step of the watch comes late, this
 * process was paused and may not have read heartbeats that arrived meanwhile: then every session gets a full lease before any is judged.
 * Runs only while there are sessions.
 */
final class LeaseWatch extends Loop {
    private static final long MAX_TICK_NANOS = 100_000_000;

    private final MemoryNode node;
    private final SessionTable table;
    private final long marginNanos;

    LeaseWatch(MemoryNode node, SessionTable table, MemoryNodeSettings settings) {
        super(
                "the lease watch of memory node " + settings.id(),
                node.clock(),
                node.timer(),
                Math.max(1, Math.min(MAX_TICK_NANOS, settings.maxLease().toNanos() / 20)));
        this.node = node;
        this.table = table;
        this.marginNanos = settings.leaseMargin().toNanos();
    }

    @Override
    protected void step(long lateNanos) {
        long now = node.clock().nanoTime();
        // The margin makes up for the heartbeats that a shorter pause hides.
        boolean paused = lateNanos > Math.max(2 * intervalNanos(), marginNanos);
        for (MemoryNodeSession session : table.snapshot()) {
            Isolated.run("Judging the lease of session " + session.describe(), () -> judge(session, now, paused));
        }
    }

    private void judge(MemoryNodeSession session, long now, boolean paused) {
        // A session that is cut cannot have sent a heartbeat that is still unread.
        if (paused && !session.isCut()) {
            session.grantFullLease(now);
        } else if (now - session.lastHeartbeat() > session.leaseNanos() + marginNanos) {
            table.expel(session, "its lease ran out");
        }
    }

    @Override
    protected boolean isNeeded() {
        return !node.isClosed() && !table.snapshot().isEmpty();
    }
}
