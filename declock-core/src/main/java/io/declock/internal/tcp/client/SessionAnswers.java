// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.Messages;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.Resolution;
import io.declock.spi.SessionListener;
import java.util.Optional;

/** Handles the frames of a memory node to a joined compute node, except the results of verbs. Belongs to the event loop. */
final class SessionAnswers {
    private final String node;
    private final PendingRequests requests;
    private final SessionListener listener;

    /** The answer to a request that needs no data. */
    enum Done {
        DONE
    }

    /** A ticket for a peer. */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the proof; tickets are never compared.
    record Ticket(byte[] bytes) {}

    /** The data that the memory node granted on a direct connection. */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the caller; grants are never compared.
    record DirectGrant(byte[] bytes) {}

    SessionAnswers(String node, PendingRequests requests, SessionListener listener) {
        this.node = node;
        this.requests = requests;
        this.listener = listener;
    }

    void accept(TcpSession session, int type, FrameBody body) throws BadFrameException {
        switch (type) {
            case Wire.HEARTBEAT_REPLY -> {
                int id = body.i32();
                HeartbeatReply reply = Messages.readHeartbeat(body);
                body.end();
                requests.answer(id, reply);
            }
            case Wire.RESOLVED -> resolved(body);
            case Wire.MEMBERSHIP -> membership(session, body);
            case Wire.RECORD_MEMBERSHIP -> recordMembership(session, body);
            case Wire.PEER_MESSAGE -> {
                PeerMessage message = Messages.readPeer(body);
                body.end();
                listener.peerMessage(message);
            }
            case Wire.RECLAIM_PROPOSAL -> {
                long round = body.i64();
                long[] records = body.longs(Wire.MAX_RECLAIM);
                body.end();
                listener.reclaimProposed(round, records);
            }
            case Wire.TICKET_REPLY -> {
                int id = body.i32();
                Ticket ticket = new Ticket(body.bytes(Wire.SECRET_BYTES));
                body.end();
                requests.answer(id, ticket);
            }
            case Wire.DIRECT_ACCESS_REPLY -> directWay(body);
            case Wire.DIRECT_GRANT_REPLY -> {
                int id = body.i32();
                DirectGrant grant = new DirectGrant(body.countedBytes(Wire.MAX_GRANT_BYTES));
                body.end();
                requests.answer(id, grant);
            }
            case Wire.DONE -> {
                int id = body.i32();
                body.end();
                requests.answer(id, Done.DONE);
            }
            case Wire.REFUSED -> {
                int id = body.i32();
                requests.fail(id, readRefusal(node, body));
            }
            default -> throw new BadFrameException("unknown type of frame: " + type);
        }
    }

    private void resolved(FrameBody body) throws BadFrameException {
        int id = body.i32();
        boolean found = body.u8() != 0;
        Optional<Resolution> resolution =
                found ? Optional.of(new Resolution(body.i64(), body.i64())) : Optional.empty();
        body.end();
        requests.answer(id, resolution);
    }

    private void directWay(FrameBody body) throws BadFrameException {
        int id = body.i32();
        boolean offered = body.u8() != 0;
        Optional<ControlSession.DirectWay> way = offered
                ? Optional.of(new ControlSession.DirectWay(
                        body.text(Wire.MAX_TEXT), body.u16(), body.bytes(Wire.SECRET_BYTES)))
                : Optional.empty();
        body.end();
        requests.answer(id, way);
    }

    private void membership(TcpSession session, FrameBody body) throws BadFrameException {
        int id = body.i32();
        Membership membership = Messages.readMembership(body);
        body.end();
        session.peers().membersChanged(membership);
        if (id != 0) {
            requests.answer(id, membership);
        } else {
            listener.membershipChanged(membership);
        }
    }

    private void recordMembership(TcpSession session, FrameBody body) throws BadFrameException {
        int id = body.i32();
        RecordMembers members = Messages.readRecordMembers(body);
        body.end();
        session.peers().membersChanged(members.all());
        requests.answer(id, members);
    }

    /** Reads the rest of a refusal, after the request's number. */
    static FabricException.Refused readRefusal(String node, FrameBody body) throws BadFrameException {
        Reason reason = Reason.of(body.u8());
        String message = body.text(Wire.MAX_TEXT);
        body.end();
        return new FabricException.Refused(reason, node + ": " + message);
    }
}
