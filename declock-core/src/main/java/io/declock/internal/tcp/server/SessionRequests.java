// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.NodeLists;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.InquiryFrames;
import io.declock.internal.tcp.wire.MemberFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.NodeListFrames;
import io.declock.internal.tcp.wire.Numbered;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.internal.tcp.wire.RdmaFrames;
import io.declock.internal.tcp.wire.ValueFrames;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.GivenUp;
import io.declock.spi.Member;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.Resolution;
import io.declock.spi.ValueWriting;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers the requests of a joined compute node that are not verbs. Belongs to its connection's event loop. */
final class SessionRequests {
    private final ServerContext server;
    private final ServerConnection connection;

    SessionRequests(ServerContext server, ServerConnection connection) {
        this.server = server;
        this.connection = connection;
    }

    void accept(ServerSession served, MemoryNodeSession session, FrameType type, FrameBody body, ByteBuf out)
            throws BadFrameException {
        switch (type) {
            case HEARTBEAT -> heartbeat(served, session, ControlFrames.readHeartbeat(body), out);
            case RESOLVE -> resolve(session, ControlFrames.readResolve(body), true);
            case LOOK_UP -> resolve(session, ControlFrames.readLookUp(body), false);
            case MEMBERS -> {
                int request = MemberFrames.readMembers(body);
                connection.tellMembers(session.members(), out);
                ControlFrames.writeDone(out, request);
            }
            case RECORD_MEMBERS -> recordMembers(session, MemberFrames.readRecordMembers(body), out);
            case PEER_MESSAGE -> relay(session, PeerFrames.readPeerMessage(body));
            case RECLAIM_ANSWER -> {
                ControlFrames.Reclaim answer = ControlFrames.readReclaimAnswer(body);
                session.answerReclaim(answer.round(), answer.records());
            }
            case LEAVE -> {
                int request = ControlFrames.readLeave(body);
                session.leave(() -> {
                    served.ended();
                    connection.send(later -> ControlFrames.writeDone(later, request));
                });
            }
            case TICKET -> ticket(session, PeerFrames.readTicket(body), out);
            case DECLARE_NODE_SET -> declareNodeSet(session, ControlFrames.readDeclareNodeSet(body), out);
            case RESTORE -> restore(session, ControlFrames.readRestore(body), out);
            case RESERVE -> reserve(session, ControlFrames.readReserve(body), out);
            case READ_VALUE -> readValue(session, ValueFrames.readReadValue(body), out);
            case WRITE_VALUE -> writeValue(session, ValueFrames.readWriteValue(body), out);
            case LOCK_ANSWER -> session.answerInquiry(InquiryFrames.readLockAnswer(body));
            case MOVED -> moved(session, ControlFrames.readMoved(body), out);
            case AWAIT_GRACE -> awaitGrace(session, ControlFrames.readAwaitGrace(body));
            case ASK_NODES ->
                NodeListFrames.writeNodesState(
                        out,
                        NodeListFrames.readAskNodes(body),
                        server.node().nodeLists().state());
            case PROPOSE_NODES -> proposeNodes(session, NodeListFrames.readProposeNodes(body), out);
            case DECLARE_NODES -> declareNodes(session, NodeListFrames.readDeclareNodes(body));
            case AWAIT_GIVEN_UP -> awaitGivenUp(session, NodeListFrames.readAwaitGivenUp(body));
            case TAKE_OVER -> takeOver(NodeListFrames.readTakeOver(body));
            case RDMA_ACCESS -> rdmaAccess(session, RdmaFrames.readRdmaAccess(body));
            case RDMA_GRANT -> rdmaGrant(session, RdmaFrames.readRdmaGrant(body), out);
            default -> throw new BadFrameException("a memory node does not take " + type);
        }
    }

    private void heartbeat(ServerSession served, MemoryNodeSession session, int request, ByteBuf out) {
        try {
            ControlFrames.writeHeartbeatReply(out, request, session.heartbeat());
        } catch (FabricException e) {
            if (!served.isBrokenOff()) {
                ControlFrames.writeGoodbye(out, e.getMessage());
            }
            connection.fail(e);
        }
    }

    private void resolve(MemoryNodeSession session, Numbered<byte[]> name, boolean create) {
        session.resolve(name.value(), create, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                connection.send(out -> ControlFrames.writeResolved(out, name.request(), resolution));
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                connection.send(out -> SessionRequests.refused(out, name.request(), refusal));
            }
        });
    }

    private void recordMembers(MemoryNodeSession session, Numbered<Long> record, ByteBuf out) throws BadFrameException {
        if (!session.isRecord(record.value())) {
            throw new BadFrameException("no record starts at address " + record.value());
        }
        RecordMembers members = session.members(record.value());
        connection.tellMembers(members.all(), out);
        MemberFrames.writeRecordMembership(
                out, record.request(), members.users().members());
    }

    private static void relay(MemoryNodeSession session, PeerMessage message) throws BadFrameException {
        Member self = session.member();
        if (message.fromNode() != self.nodeId() || message.fromIncarnation() != self.incarnation()) {
            throw new BadFrameException("a peer message in the name of another compute node");
        }
        session.relay(message);
    }

    private void ticket(MemoryNodeSession session, Numbered<MemberId> peer, ByteBuf out) {
        int nodeId = peer.value().nodeId();
        int incarnation = peer.value().incarnation();
        Member to = session.members().byNodeId(nodeId);
        if (to == null || to.incarnation() != incarnation) {
            String message = "compute node " + nodeId + "." + incarnation + " is not a member";
            ControlFrames.writeRefused(out, peer.request(), Reason.BAD_REQUEST, message);
        } else {
            PeerFrames.writeTicketReply(out, peer.request(), server.tickets().ticket(session.member(), to));
        }
    }

    private void rdmaAccess(MemoryNodeSession session, int request) {
        RdmaAccess rdma = server.rdma();
        if (rdma == null) {
            connection.send(out -> RdmaFrames.writeRdmaAccessReply(out, request, null));
        } else {
            rdma.offer(
                    session,
                    offer -> connection.send(out -> RdmaFrames.writeRdmaAccessReply(out, request, offer)),
                    refusal(request));
        }
    }

    private void rdmaGrant(MemoryNodeSession session, int request, ByteBuf out) {
        RdmaAccess rdma = server.rdma();
        try {
            if (rdma == null) {
                throw new FabricException.Refused(Reason.BAD_REQUEST, "there is no RDMA access to the region here");
            }
            RdmaFrames.writeRdmaGrantReply(out, request, rdma.granted(session));
        } catch (FabricException.Refused e) {
            refused(out, request, e);
        }
    }

    private static void declareNodeSet(MemoryNodeSession session, Numbered<NodeSet> set, ByteBuf out) {
        try {
            session.declareNodeSet(set.value());
            ControlFrames.writeDone(out, set.request());
        } catch (FabricException.Refused e) {
            refused(out, set.request(), e);
        }
    }

    private static void restore(MemoryNodeSession session, Numbered<ControlFrames.Restore> request, ByteBuf out) {
        ControlFrames.Restore hold = request.value();
        try {
            long record = session.restore(hold.name(), hold.exclusive(), hold.epoch());
            ControlFrames.writeRestored(out, request.request(), new ControlFrames.Restored(record));
        } catch (FabricException.Refused e) {
            refused(out, request.request(), e);
        }
    }

    private static void reserve(MemoryNodeSession session, Numbered<ControlFrames.Reserve> request, ByteBuf out)
            throws BadFrameException {
        ControlFrames.Reserve reservation = request.value();
        if (!session.isRecord(reservation.record()) || reservation.nanos() < 0) {
            throw new BadFrameException(
                    "a reservation of " + reservation.nanos() + " ns for a record at address " + reservation.record());
        }
        try {
            session.reserve(reservation.record(), reservation.nanos());
            ControlFrames.writeDone(out, request.request());
        } catch (FabricException.Refused e) {
            refused(out, request.request(), e);
        }
    }

    private static void readValue(MemoryNodeSession session, Numbered<Long> record, ByteBuf out)
            throws BadFrameException {
        checkKnown(session, record.value());
        ValueFrames.writeValue(out, record.request(), session.readValue(record.value()));
    }

    private static void writeValue(MemoryNodeSession session, Numbered<ValueWriting> request, ByteBuf out)
            throws BadFrameException {
        checkKnown(session, request.value().record());
        try {
            session.writeValue(request.value());
            ControlFrames.writeDone(out, request.request());
        } catch (FabricException.Refused e) {
            refused(out, request.request(), e);
        }
    }

    private static void checkKnown(MemoryNodeSession session, long record) throws BadFrameException {
        if (!session.knowsRecord(record)) {
            throw new BadFrameException("the value of a record at address " + record + ", which it was not told");
        }
    }

    private static void moved(MemoryNodeSession session, int request, ByteBuf out) {
        try {
            session.moved();
            ControlFrames.writeDone(out, request);
        } catch (FabricException.Refused e) {
            refused(out, request, e);
        }
    }

    private void awaitGrace(MemoryNodeSession session, int request) {
        session.awaitGrace(epoch -> connection.send(
                later -> ControlFrames.writeGraceOver(later, request, new ControlFrames.GraceOver(epoch))));
    }

    private void proposeNodes(MemoryNodeSession session, Numbered<NodeList> list, ByteBuf out) {
        try {
            server.node().nodeLists().propose(session, list.value());
            ControlFrames.writeDone(out, list.request());
        } catch (FabricException.Refused e) {
            refused(out, list.request(), e);
        }
    }

    private void declareNodes(MemoryNodeSession session, Numbered<NodeList> list) {
        Consumer<NodeList> done = taken -> connection.send(out -> ControlFrames.writeDone(out, list.request()));
        server.node().nodeLists().declare(session, list.value(), new NodeLists.Answer<>(done, refusal(list.request())));
    }

    private void awaitGivenUp(MemoryNodeSession session, Numbered<Long> number) {
        Consumer<Long> done = epoch -> connection.send(
                out -> NodeListFrames.writeGivenUp(out, number.request(), new NodeListFrames.GaveUp(epoch)));
        server.node()
                .nodeLists()
                .awaitGivenUp(session, number.value(), new NodeLists.Answer<>(done, refusal(number.request())));
    }

    private void takeOver(Numbered<GivenUp> word) {
        Consumer<Long> done = epoch -> connection.send(
                out -> NodeListFrames.writeTakenOver(out, word.request(), new NodeListFrames.TakenOver(epoch)));
        server.node().nodeLists().takeOver(word.value(), new NodeLists.Answer<>(done, refusal(word.request())));
    }

    private Consumer<FabricException.Refused> refusal(int request) {
        return why -> connection.send(out -> refused(out, request, why));
    }

    private static void refused(ByteBuf out, int request, FabricException.Refused refusal) {
        ControlFrames.writeRefused(out, request, refusal.reason(), refusal.getMessage());
    }
}
