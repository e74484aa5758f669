// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.session;

import io.declock.fabric.Membership;
import io.declock.fabric.PeerMessage;
import io.declock.protocol.LockReset;
import io.declock.protocol.ResetReason;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The resets, and the questions before them, that this process has under way in one session: one per lock record. Thread-safe. */
public final class ResetCoordinator {
    private final NodeSession session;
    private final Map<Long, LockReset> active = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile boolean enabled = true;

    ResetCoordinator(NodeSession session) {
        this.session = session;
    }

    /** Begins a reset or a question, unless one is under way for the record. */
    void request(long record, long epoch, ResetReason reason) {
        if (closed || !enabled) {
            return;
        }
        LockReset reset = new LockReset(
                session,
                record,
                epoch,
                reason,
                () -> session.fabric().control().members(record).whenComplete((fresh, failure) -> {
                    if (failure == null) {
                        session.membershipChanged(fresh.all());
                    }
                }),
                outcome -> active.remove(record));
        if (active.putIfAbsent(record, reset) == null) {
            reset.start();
        }
    }

    void membershipChanged(Membership current) {
        active.values().forEach(reset -> reset.membershipChanged(current));
    }

    void deliver(PeerMessage message) {
        LockReset reset = active.get(message.record());
        if (reset != null) {
            reset.deliver(message);
        }
    }

    /** Lets resets be started, or stops them from being started; those under way go on. */
    void setEnabled(boolean on) {
        enabled = on;
    }

    void close() {
        closed = true;
        active.values().forEach(LockReset::abandon);
    }

    /** Returns how many resets or questions are under way. */
    public int active() {
        return active.size();
    }
}
