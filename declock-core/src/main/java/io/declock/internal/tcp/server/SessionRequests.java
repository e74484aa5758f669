// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.memorynode.DirectAccess;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.ResolveAnswer;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.Messages;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.Resolution;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Answers the requests of a joined compute node that are not verbs. Belongs to its connection's event loop. */
final class SessionRequests {
    private final ServerContext server;
    private final ServerConnection connection;

    SessionRequests(ServerContext server, ServerConnection connection) {
        this.server = server;
        this.connection = connection;
    }

    void accept(MemoryNodeSession session, int type, FrameBody body, ByteBuf out) throws BadFrameException {
        switch (type) {
            case Wire.HEARTBEAT -> heartbeat(session, body, out);
            case Wire.RESOLVE -> resolve(session, body, true);
            case Wire.LOOK_UP -> resolve(session, body, false);
            case Wire.MEMBERS -> {
                int id = body.i32();
                body.end();
                ServerFrames.membership(out, id, session.members());
            }
            case Wire.RECORD_MEMBERS -> recordMembers(session, body, out);
            case Wire.PEER_MESSAGE -> relay(session, body);
            case Wire.RECLAIM_ANSWER -> {
                long round = body.i64();
                long[] vetoed = body.longs(Wire.MAX_RECLAIM);
                body.end();
                session.answerReclaim(round, vetoed);
            }
            case Wire.LEAVE -> {
                int id = body.i32();
                body.end();
                session.leave(() -> connection.send(later -> ServerFrames.done(later, id)));
            }
            case Wire.TICKET -> ticket(session, body, out);
            case Wire.DECLARE_NODE_SET -> declareNodeSet(session, body, out);
            case Wire.DIRECT_ACCESS -> directAccess(session, body, out);
            case Wire.DIRECT_GRANT -> directGrant(session, body, out);
            default -> throw new BadFrameException("unknown type of frame: " + type);
        }
    }

    private void heartbeat(MemoryNodeSession session, FrameBody body, ByteBuf out) throws BadFrameException {
        int id = body.i32();
        body.end();
        try {
            ServerFrames.heartbeat(out, id, session.heartbeat());
        } catch (FabricException e) {
            ServerFrames.goodbye(out, String.valueOf(e.getMessage()));
            connection.fail(e);
        }
    }

    private void resolve(MemoryNodeSession session, FrameBody body, boolean create) throws BadFrameException {
        int id = body.i32();
        byte[] name = body.countedBytes(Wire.MAX_TEXT);
        body.end();
        session.resolve(name, create, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                connection.send(out -> ServerFrames.resolution(out, id, resolution));
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                connection.send(
                        out -> ServerFrames.refused(out, id, refusal.reason(), String.valueOf(refusal.getMessage())));
            }
        });
    }

    private void recordMembers(MemoryNodeSession session, FrameBody body, ByteBuf out) throws BadFrameException {
        int id = body.i32();
        long record = body.i64();
        body.end();
        if (!session.isRecord(record)) {
            throw new BadFrameException("no record starts at address " + record);
        }
        ServerFrames.recordMembership(out, id, session.members(record));
    }

    private void relay(MemoryNodeSession session, FrameBody body) throws BadFrameException {
        PeerMessage message = Messages.readPeer(body);
        body.end();
        Member self = session.member();
        if (message.fromNode() != self.nodeId() || message.fromIncarnation() != self.incarnation()) {
            throw new BadFrameException("a peer message in the name of another compute node");
        }
        session.relay(message);
    }

    private void ticket(MemoryNodeSession session, FrameBody body, ByteBuf out) throws BadFrameException {
        int id = body.i32();
        int nodeId = body.u8();
        int incarnation = body.i32();
        body.end();
        Member to = session.members().byNodeId(nodeId);
        if (to == null || to.incarnation() != incarnation) {
            String message = "compute node " + nodeId + "." + incarnation + " is not a member";
            ServerFrames.refused(out, id, Reason.BAD_REQUEST, message);
        } else {
            ServerFrames.ticket(out, id, server.tickets().ticket(session.member(), to));
        }
    }

    private void directAccess(MemoryNodeSession session, FrameBody body, ByteBuf out) throws BadFrameException {
        int id = body.i32();
        body.end();
        DirectAccess direct = server.directAccess();
        try {
            ServerFrames.directAccess(out, id, direct == null ? null : direct.offer(session));
        } catch (FabricException.Refused e) {
            ServerFrames.refused(out, id, e.reason(), String.valueOf(e.getMessage()));
        }
    }

    private void directGrant(MemoryNodeSession session, FrameBody body, ByteBuf out) throws BadFrameException {
        int id = body.i32();
        body.end();
        DirectAccess direct = server.directAccess();
        try {
            if (direct == null) {
                throw new FabricException.Refused(Reason.BAD_REQUEST, "there is no direct access to the region here");
            }
            ServerFrames.directGrant(out, id, direct.granted(session));
        } catch (FabricException.Refused e) {
            ServerFrames.refused(out, id, e.reason(), String.valueOf(e.getMessage()));
        }
    }

    private void declareNodeSet(MemoryNodeSession session, FrameBody body, ByteBuf out) throws BadFrameException {
        int id = body.i32();
        long digest = body.i64();
        body.end();
        try {
            session.declareNodeSet(digest);
            ServerFrames.done(out, id);
        } catch (FabricException.Refused e) {
            ServerFrames.refused(out, id, e.reason(), String.valueOf(e.getMessage()));
        }
    }
}
