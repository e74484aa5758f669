// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.spi.FabricException;
import io.declock.spi.LockInquiry;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the fabric's events of one session on to the session object. Events may arrive before that object exists: a membership or a loss
 * is kept and delivered when it does. Thread-safe.
 */
final class SessionEvents implements SessionListener {
    private final BiConsumer<NodeSession, FabricException> whenLost;
    private final BiConsumer<NodeSession, FabricException> whenBrokenOff;
    private final ReclaimListener reclaims;
    private final Consumer<NodeList> lists;
    private final Inquiries inquiries;
    private final ReentrantLock order = new ReentrantLock();

    @GuardedBy("order")
    private @Nullable NodeSession attached;

    @GuardedBy("order")
    private @Nullable Membership early;

    @GuardedBy("order")
    private @Nullable FabricException lostEarly;

    /** Receives the proposals of a session's memory node to reclaim records. */
    interface ReclaimListener {
        void reclaimProposed(NodeSession session, long round, long[] records);
    }

    SessionEvents(
            BiConsumer<NodeSession, FabricException> whenLost,
            BiConsumer<NodeSession, FabricException> whenBrokenOff,
            ReclaimListener reclaims,
            Consumer<NodeList> lists,
            Inquiries inquiries) {
        this.inquiries = inquiries;
        this.lists = lists;
        this.whenLost = whenLost;
        this.whenBrokenOff = whenBrokenOff;
        this.reclaims = reclaims;
    }

    /** Attaches the session object and delivers the kept events. */
    void attach(NodeSession current) {
        Membership missed;
        FabricException missedLoss;
        order.lock();
        try {
            attached = current;
            missed = early;
            missedLoss = lostEarly;
        } finally {
            order.unlock();
        }
        if (missed != null) {
            current.membershipChanged(missed);
        }
        if (missedLoss != null) {
            whenLost.accept(current, missedLoss);
        }
    }

    private @Nullable NodeSession current(@Nullable Membership membership, @Nullable FabricException loss) {
        order.lock();
        try {
            if (attached == null) {
                early = membership == null ? early : membership;
                lostEarly = loss == null ? lostEarly : loss;
            }
            return attached;
        } finally {
            order.unlock();
        }
    }

    @Override
    public void membershipChanged(Membership membership) {
        NodeSession current = current(membership, null);
        if (current != null) {
            current.membershipChanged(membership);
        }
    }

    @Override
    public void peerMessage(PeerMessage message) {
        NodeSession current = current(null, null);
        if (current != null) {
            current.deliver(message);
        }
    }

    @Override
    public void reclaimProposed(long round, long[] records) {
        NodeSession current = current(null, null);
        if (current != null) {
            reclaims.reclaimProposed(current, round, records);
        }
    }

    @Override
    public void inquired(LockInquiry inquiry) {
        NodeSession current = current(null, null);
        if (current != null) {
            current.fabric().control().answerInquiry(inquiries.answer(inquiry));
        }
    }

    @Override
    public void nodesChanged(NodeList list) {
        // Not about one session.
        lists.accept(list);
    }

    @Override
    public void lost(FabricException cause) {
        NodeSession current = current(null, cause);
        if (current != null) {
            whenLost.accept(current, cause);
        }
    }

    @Override
    public void brokenOff(FabricException cause) {
        NodeSession current = current(null, cause);
        if (current != null) {
            whenBrokenOff.accept(current, cause);
        }
    }
}
