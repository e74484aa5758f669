// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.memorynode.DirectAccess;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.tcp.wire.FrameWriter;
import io.declock.internal.tcp.wire.Messages;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.declock.spi.Resolution;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Writes complete frames of a memory node. */
final class ServerFrames {
    private ServerFrames() {}

    static void auth(ByteBuf out, byte[] proof) {
        int start = FrameWriter.begin(out, Wire.AUTH);
        out.writeBytes(proof);
        FrameWriter.end(out, start);
    }

    static void authenticated(ByteBuf out, byte[] proof) {
        int start = FrameWriter.begin(out, Wire.AUTHENTICATED);
        out.writeBytes(proof);
        FrameWriter.end(out, start);
    }

    static void joined(ByteBuf out, JoinReply reply, byte[] memberKey) {
        int start = FrameWriter.begin(out, Wire.JOINED);
        Messages.writeJoined(out, reply);
        out.writeBytes(memberKey);
        FrameWriter.end(out, start);
    }

    /** Gives this memory node's identity, and asks another one for its identity. */
    static void identify(ByteBuf out, MemoryNode node) {
        identity(out, Wire.IDENTIFY, node);
    }

    static void identity(ByteBuf out, MemoryNode node) {
        identity(out, Wire.IDENTITY, node);
    }

    private static void identity(ByteBuf out, int type, MemoryNode node) {
        int start = FrameWriter.begin(out, type);
        FrameWriter.text(out, node.id());
        out.writeLongLE(node.incarnation());
        FrameWriter.end(out, start);
    }

    static void goodbye(ByteBuf out, String why) {
        int start = FrameWriter.begin(out, Wire.GOODBYE);
        FrameWriter.text(out, why);
        FrameWriter.end(out, start);
    }

    static void refused(ByteBuf out, int id, Reason reason, String message) {
        int start = FrameWriter.begin(out, Wire.REFUSED);
        out.writeIntLE(id);
        out.writeByte(reason.code());
        FrameWriter.text(out, message);
        FrameWriter.end(out, start);
    }

    static void done(ByteBuf out, int id) {
        int start = FrameWriter.begin(out, Wire.DONE);
        out.writeIntLE(id);
        FrameWriter.end(out, start);
    }

    static void heartbeat(ByteBuf out, int id, HeartbeatReply reply) {
        int start = FrameWriter.begin(out, Wire.HEARTBEAT_REPLY);
        out.writeIntLE(id);
        Messages.writeHeartbeat(out, reply);
        FrameWriter.end(out, start);
    }

    static void resolution(ByteBuf out, int id, @Nullable Resolution resolution) {
        int start = FrameWriter.begin(out, Wire.RESOLVED);
        out.writeIntLE(id);
        out.writeByte(resolution == null ? 0 : 1);
        if (resolution != null) {
            out.writeLongLE(resolution.record());
            out.writeLongLE(resolution.epoch());
        }
        FrameWriter.end(out, start);
    }

    static void membership(ByteBuf out, int id, Membership membership) {
        int start = FrameWriter.begin(out, Wire.MEMBERSHIP);
        out.writeIntLE(id);
        Messages.writeMembership(out, membership);
        FrameWriter.end(out, start);
    }

    static void recordMembership(ByteBuf out, int id, RecordMembers members) {
        int start = FrameWriter.begin(out, Wire.RECORD_MEMBERSHIP);
        out.writeIntLE(id);
        Messages.writeRecordMembers(out, members);
        FrameWriter.end(out, start);
    }

    static void ticket(ByteBuf out, int id, byte[] ticket) {
        int start = FrameWriter.begin(out, Wire.TICKET_REPLY);
        out.writeIntLE(id);
        out.writeBytes(ticket);
        FrameWriter.end(out, start);
    }

    static void directAccess(ByteBuf out, int id, DirectAccess.@Nullable Offer offer) {
        int start = FrameWriter.begin(out, Wire.DIRECT_ACCESS_REPLY);
        out.writeIntLE(id);
        out.writeByte(offer == null ? 0 : 1);
        if (offer != null) {
            FrameWriter.text(out, offer.host());
            out.writeShortLE(offer.port());
            out.writeBytes(offer.token());
        }
        FrameWriter.end(out, start);
    }

    static void directGrant(ByteBuf out, int id, byte[] granted) {
        int start = FrameWriter.begin(out, Wire.DIRECT_GRANT_REPLY);
        out.writeIntLE(id);
        FrameWriter.countedBytes(out, granted);
        FrameWriter.end(out, start);
    }

    static void peerMessage(ByteBuf out, PeerMessage message) {
        int start = FrameWriter.begin(out, Wire.PEER_MESSAGE);
        Messages.writePeer(out, message);
        FrameWriter.end(out, start);
    }

    static void reclaimProposal(ByteBuf out, long round, long[] records) {
        int start = FrameWriter.begin(out, Wire.RECLAIM_PROPOSAL);
        out.writeLongLE(round);
        FrameWriter.longs(out, records);
        FrameWriter.end(out, start);
    }
}
