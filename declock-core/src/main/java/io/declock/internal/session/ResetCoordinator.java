// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.LockReset;
import io.declock.internal.protocol.ResetOutcome;
import io.declock.internal.protocol.ResetReason;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The resets of this process in one session, and the questions before them: at most one per lock record. Thread-safe. */
public final class ResetCoordinator {
    private final CqlEnvironment session;
    private final LongFunction<CompletionStage<RecordMembers>> membersOf;
    private final Map<Long, Active> active = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile boolean enabled = true;

    /**
     * Makes one without a reset.
     *
     * @param membersOf fetches the members and the users of a record from the memory node
     */
    ResetCoordinator(CqlEnvironment session, LongFunction<CompletionStage<RecordMembers>> membersOf) {
        this.session = session;
        this.membersOf = membersOf;
    }

    /** A reset that is under way, and the last request that came meanwhile. */
    private record Active(LockReset reset, @Nullable Request later) {}

    /** A request for a reset: its reason, and the epoch in which the reason arose. */
    private record Request(long epoch, ResetReason reason) {}

    /**
     * Begins a reset or a question. If one is under way for the record already, it serves this request too. If that one finds that no reset
     * is needed, another follows, because the finding may be older than the reason of this request.
     */
    void request(long record, long epoch, ResetReason reason) {
        if (closed || !enabled) {
            return;
        }
        LockReset fresh = newReset(record, epoch, reason);
        Active now = active.compute(
                record,
                (key, underWay) -> underWay == null
                        ? new Active(fresh, null)
                        : new Active(underWay.reset(), new Request(epoch, reason)));
        if (now.reset() == fresh) {
            fresh.start();
            if (closed) {
                fresh.abandon();
            }
        }
    }

    private void ended(long record, ResetOutcome outcome) {
        Active last = active.remove(record);
        Request later = last == null ? null : last.later();
        if (outcome == ResetOutcome.NOT_NEEDED && later != null) {
            request(record, later.epoch(), later.reason());
        }
    }

    private LockReset newReset(long record, long epoch, ResetReason reason) {
        return new LockReset(
                session, record, epoch, reason, () -> membersOf.apply(record), outcome -> ended(record, outcome));
    }

    void membershipChanged(Membership current) {
        active.values().forEach(underWay -> underWay.reset().membershipChanged(current));
    }

    void deliver(PeerMessage message) {
        Active underWay = active.get(message.record());
        if (underWay != null) {
            underWay.reset().deliver(message);
        }
    }

    /** Another compute node asks the users of a record. */
    void othersAsk(long record) {
        Active underWay = active.get(record);
        if (underWay != null) {
            underWay.reset().othersAsk();
        }
    }

    /** Gives up the reset of a record, or the question before it: the record's name moves to another memory node. */
    void abandon(long record) {
        Active underWay = active.get(record);
        if (underWay != null) {
            underWay.reset().abandon();
        }
    }

    /** Sets whether resets may be started; those under way go on. */
    void setEnabled(boolean on) {
        enabled = on;
    }

    void close() {
        closed = true;
        active.values().forEach(underWay -> underWay.reset().abandon());
    }

    /** Returns whether a reset of this record, or the question before it, is under way. */
    boolean isActive(long record) {
        return active.containsKey(record);
    }
}
