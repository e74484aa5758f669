// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.InquiryFrames;
import io.declock.internal.tcp.wire.MemberFrames;
import io.declock.internal.tcp.wire.NodeListFrames;
import io.declock.internal.tcp.wire.Numbered;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.internal.tcp.wire.RdmaFrames;
import io.declock.internal.tcp.wire.ValueFrames;
import io.declock.spi.FabricException;
import io.declock.spi.Membership;
import io.declock.spi.MembershipChange;
import io.declock.spi.SessionListener;

/** Handles the frames of a memory node to a joined compute node, except the results of verbs. Belongs to the event loop. */
final class SessionAnswers {
    private final String node;
    private final PendingRequests requests;
    private final SessionListener listener;
    private Membership members;

    /** The answer to a request that needs no data. */
    enum Done {
        DONE
    }

    SessionAnswers(String node, PendingRequests requests, SessionListener listener, Membership joined) {
        this.node = node;
        this.requests = requests;
        this.listener = listener;
        this.members = joined;
    }

    void accept(TcpSession session, FrameType type, FrameBody body, int version) throws BadFrameException {
        switch (type) {
            case HEARTBEAT_REPLY -> answer(ControlFrames.readHeartbeatReply(body));
            case RESOLVED -> answer(ControlFrames.readResolved(body));
            case MEMBERSHIP -> membership(session, MemberFrames.readMembership(body, version));
            case MEMBERSHIP_CHANGE -> change(session, MemberFrames.readMembershipChange(body, version));
            case RECORD_MEMBERSHIP -> answer(MemberFrames.readRecordMembership(body));
            case PEER_MESSAGE -> listener.peerMessage(PeerFrames.readPeerMessage(body));
            case RECLAIM_PROPOSAL -> {
                ControlFrames.Reclaim proposal = ControlFrames.readReclaimProposal(body);
                listener.reclaimProposed(proposal.round(), proposal.records());
            }
            case RESTORED -> answer(ControlFrames.readRestored(body));
            case GRACE_OVER -> answer(ControlFrames.readGraceOver(body));
            case LOCK_INQUIRY -> listener.inquired(InquiryFrames.readLockInquiry(body));
            case NODES -> listener.nodesChanged(NodeListFrames.readNodes(body));
            case NODES_STATE -> answer(NodeListFrames.readNodesState(body));
            case GIVEN_UP -> answer(NodeListFrames.readGivenUp(body));
            case TAKEN_OVER -> answer(NodeListFrames.readTakenOver(body));
            case TICKET_REPLY -> answer(PeerFrames.readTicketReply(body));
            case RDMA_ACCESS_REPLY -> answer(RdmaFrames.readRdmaAccessReply(body));
            case RDMA_GRANT_REPLY -> answer(RdmaFrames.readRdmaGrantReply(body));
            case VALUE -> answer(ValueFrames.readValue(body));
            case DONE -> requests.answer(ControlFrames.readDone(body), Done.DONE);
            case REFUSED -> {
                ControlFrames.Refusal refusal = ControlFrames.readRefused(body);
                requests.fail(refusal.request(), exception(node, refusal));
            }
            default -> throw new BadFrameException("a compute node does not take " + type);
        }
    }

    private void answer(Numbered<? extends Object> answer) throws BadFrameException {
        requests.answer(answer.request(), answer.value());
    }

    private void change(TcpSession session, MembershipChange change) throws BadFrameException {
        if (change.from() != members.version() || change.to() <= change.from()) {
            throw new BadFrameException("a change of the members from " + change.from() + " to " + change.to()
                    + " where " + members.version() + " was told last");
        }
        membership(session, members.after(change));
    }

    private void membership(TcpSession session, Membership told) {
        members = told;
        session.peers().membersChanged(told);
        listener.membershipChanged(told);
    }

    /** Returns the members as told last. */
    Membership members() {
        return members;
    }

    /** Returns a refusal as an exception. */
    static FabricException.Refused exception(String node, ControlFrames.Refusal refusal) {
        return new FabricException.Refused(refusal.reason(), node + ": " + refusal.message());
    }
}
