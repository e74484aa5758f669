// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.monitor.Isolated;
import io.declock.internal.monitor.Loop;
import java.util.function.LongSupplier;

/**
 * Declares a session dead when its lease and the margin have run out since its last heartbeat. If a step of the watch comes late, or the
 * server that reads heartbeats was late, heartbeats may have arrived that were not read yet: then every session gets a full lease before
 * any is judged (rule C10). Runs only while there are sessions.
 */
final class LeaseWatch extends Loop {
    private static final long MAX_TICK_NANOS = 100_000_000;

    private final NodeBasics node;
    private final SessionTable table;
    private final long marginNanos;
    private volatile LongSupplier serverLag = () -> 0;
    private volatile long lastLag;

    LeaseWatch(NodeBasics node, SessionTable table, MemoryNodeSettings settings) {
        super(
                "the lease watch of memory node " + settings.id(),
                node.clock(),
                node.timer(),
                Math.max(1, Math.min(MAX_TICK_NANOS, settings.maxLease().toNanos() / 20)));
        this.node = node;
        this.table = table;
        this.marginNanos = settings.leaseMargin().toNanos();
    }

    /** Sets how late the server that reads heartbeats was since it was last asked, in nanoseconds. */
    void watchServer(LongSupplier lag) {
        serverLag = lag;
    }

    /** Returns how late the server was at the last step, zero while the watch does not run. */
    long serverLagNanos() {
        return isRunning() ? lastLag : 0;
    }

    @Override
    protected void step(long lateNanos) {
        long lag = serverLag.getAsLong();
        lastLag = lag;
        // Read after the lag: a heartbeat that was read meanwhile counts.
        long now = node.clock().nanoTime();
        // The margin makes up for the heartbeats that a shorter pause hides.
        boolean paused = Math.max(lateNanos, lag) > Math.max(2 * intervalNanos(), marginNanos);
        if (!node.isInTerm()) {
            // Whoever is silent here may have moved to the next life (rule H6).
            return;
        }
        for (MemoryNodeSession session : table.snapshot()) {
            Isolated.run("Judging the lease of session " + session.describe(), () -> judge(session, now, paused));
        }
    }

    private void judge(MemoryNodeSession session, long now, boolean paused) {
        // A session that is cut cannot have sent a heartbeat that is still unread.
        if (paused && !session.isCut()) {
            session.grantFullLease(now);
        } else if (now - session.lastHeartbeat() > session.leaseNanos() + marginNanos) {
            table.expire(session);
        }
    }

    @Override
    protected boolean isNeeded() {
        return !node.isClosed() && !table.snapshot().isEmpty();
    }
}
