// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Keeps everything a session is told. */
public class RecordingListener implements SessionListener {
    /** Peer messages in the order of arrival. */
    public final BlockingQueue<PeerMessage> messages = new LinkedBlockingQueue<>();
    /** Memberships in the order of arrival. */
    public final BlockingQueue<Membership> memberships = new LinkedBlockingQueue<>();
    /** Reclaim proposals in the order of arrival. */
    public final BlockingQueue<Proposal> proposals = new LinkedBlockingQueue<>();
    /** Operators' inquiries in the order of arrival. */
    public final BlockingQueue<LockInquiry> inquiries = new LinkedBlockingQueue<>();
    /** Why the session was lost, once per call. */
    public final List<FabricException> losses = new CopyOnWriteArrayList<>();

    /** A reclaim proposal. */
    public record Proposal(long round, long[] records) {}

    @Override
    public void membershipChanged(Membership membership) {
        memberships.add(membership);
    }

    @Override
    public void peerMessage(PeerMessage message) {
        messages.add(message);
    }

    @Override
    public void reclaimProposed(long round, long[] records) {
        proposals.add(new Proposal(round, records));
    }

    @Override
    public void inquired(LockInquiry inquiry) {
        inquiries.add(inquiry);
    }

    @Override
    public void lost(FabricException cause) {
        losses.add(cause);
    }
}
