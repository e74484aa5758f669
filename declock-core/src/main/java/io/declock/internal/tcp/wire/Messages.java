// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.FormerMemoryNode;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordMembers;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Writes the records of {@code io.declock.spi} to frames, and reads them. */
public final class Messages {
    private static final int MAX_MEMBERS = 255;

    private Messages() {}

    /** Writes a join request. */
    public static void writeJoin(ByteBuf out, JoinRequest request) {
        out.writeLongLE(request.processId());
        out.writeLongLE(request.attempt());
        out.writeLongLE(request.nodeSetDigest());
        out.writeLongLE(request.highestEpoch());
        out.writeLongLE(request.leaseNanos());
        FrameWriter.text(out, request.name());
        FrameWriter.text(out, request.peerAddress());
        out.writeLongLE(request.former().incarnation());
        FrameWriter.text(out, request.former().address());
    }

    /** Reads a join request. */
    public static JoinRequest readJoin(FrameBody body) throws BadFrameException {
        long processId = body.i64();
        long attempt = body.i64();
        long digest = body.i64();
        long epoch = body.i64();
        long lease = body.i64();
        String name = body.text(Wire.MAX_TEXT);
        String peerAddress = body.text(Wire.MAX_TEXT);
        FormerMemoryNode former = new FormerMemoryNode(body.i64(), body.text(Wire.MAX_TEXT));
        return new JoinRequest(processId, attempt, name, peerAddress, digest, epoch, lease, former);
    }

    /** Writes the answer to a join request. */
    public static void writeJoined(ByteBuf out, JoinReply reply) {
        FrameWriter.text(out, reply.memoryNodeId());
        out.writeLongLE(reply.memoryNodeIncarnation());
        FrameWriter.text(out, reply.memoryNodeAddress());
        out.writeByte(reply.nodeId());
        out.writeIntLE(reply.incarnation());
        out.writeShortLE(reply.queueCapacity());
        out.writeLongLE(reply.regionBytes());
        out.writeLongLE(reply.leaseNanos());
        out.writeLongLE(reply.memoryNodeTimeNanos());
        writeMembership(out, reply.membership());
    }

    /** Reads the answer to a join request. */
    public static JoinReply readJoined(FrameBody body) throws BadFrameException {
        String id = body.text(Wire.MAX_TEXT);
        long memoryNodeIncarnation = body.i64();
        String memoryNodeAddress = body.text(Wire.MAX_TEXT);
        int nodeId = body.u8();
        int incarnation = body.i32();
        int capacity = body.u16();
        long regionBytes = body.i64();
        long lease = body.i64();
        long time = body.i64();
        return new JoinReply(
                id,
                memoryNodeIncarnation,
                memoryNodeAddress,
                nodeId,
                incarnation,
                capacity,
                regionBytes,
                lease,
                time,
                readMembership(body));
    }

    /** Writes a membership. */
    public static void writeMembership(ByteBuf out, Membership membership) {
        out.writeLongLE(membership.version());
        out.writeByte(membership.members().size());
        for (Member member : membership.members()) {
            out.writeByte(member.nodeId());
            out.writeIntLE(member.incarnation());
            FrameWriter.text(out, member.peerAddress());
            FrameWriter.text(out, member.name());
        }
    }

    /** Reads a membership. */
    public static Membership readMembership(FrameBody body) throws BadFrameException {
        long version = body.i64();
        int count = body.u8();
        List<Member> members = new ArrayList<>(Math.min(count, MAX_MEMBERS));
        for (int i = 0; i < count; i++) {
            int nodeId = body.u8();
            int incarnation = body.i32();
            String peerAddress = body.text(Wire.MAX_TEXT);
            members.add(new Member(nodeId, incarnation, peerAddress, body.text(Wire.MAX_TEXT)));
        }
        return new Membership(version, members);
    }

    /** Writes the members and which of them know a record. */
    public static void writeRecordMembers(ByteBuf out, RecordMembers members) {
        writeMembership(out, members.all());
        out.writeByte(members.users().members().size());
        for (Member user : members.users().members()) {
            out.writeByte(user.nodeId());
        }
    }

    /** Reads the members and which of them know a record. */
    public static RecordMembers readRecordMembers(FrameBody body) throws BadFrameException {
        Membership all = readMembership(body);
        int count = body.u8();
        BitSet users = new BitSet();
        for (int i = 0; i < count; i++) {
            users.set(body.u8());
        }
        return RecordMembers.of(all, users);
    }

    /** Writes a renewed lease. */
    public static void writeHeartbeat(ByteBuf out, HeartbeatReply reply) {
        out.writeLongLE(reply.memoryNodeTimeNanos());
        out.writeLongLE(reply.recordsInUse());
        out.writeLongLE(reply.recordsTotal());
        out.writeLongLE(reply.membershipVersion());
    }

    /** Reads a renewed lease. */
    public static HeartbeatReply readHeartbeat(FrameBody body) throws BadFrameException {
        return new HeartbeatReply(body.i64(), body.i64(), body.i64(), body.i64());
    }

    /** Writes a peer message. */
    public static void writePeer(ByteBuf out, PeerMessage message) {
        out.writeByte(message.kind().code());
        out.writeLongLE(message.memoryNode());
        out.writeByte(message.fromNode());
        out.writeIntLE(message.fromIncarnation());
        out.writeByte(message.toNode());
        out.writeIntLE(message.toIncarnation());
        out.writeLongLE(message.record());
        out.writeLongLE(message.epoch());
        out.writeIntLE(message.index());
        out.writeLongLE(message.detail());
        out.writeByte(message.entries().length);
        for (long entry : message.entries()) {
            out.writeLongLE(entry);
        }
    }

    /** Reads a peer message. */
    public static PeerMessage readPeer(FrameBody body) throws BadFrameException {
        PeerMessage.Kind kind = readKind(body.u8());
        long memoryNode = body.i64();
        int fromNode = body.u8();
        int fromIncarnation = body.i32();
        int toNode = body.u8();
        int toIncarnation = body.i32();
        long record = body.i64();
        long epoch = body.i64();
        int index = body.i32();
        long detail = body.i64();
        long[] entries = readEntries(body);
        return new PeerMessage(
                kind,
                memoryNode,
                fromNode,
                fromIncarnation,
                toNode,
                toIncarnation,
                record,
                epoch,
                index,
                detail,
                entries);
    }

    private static PeerMessage.Kind readKind(int code) throws BadFrameException {
        try {
            return PeerMessage.Kind.of(code);
        } catch (IllegalArgumentException e) {
            throw new BadFrameException("unknown kind of peer message: " + code);
        }
    }

    private static long[] readEntries(FrameBody body) throws BadFrameException {
        int count = body.u8();
        if (count > PeerMessage.MAX_ENTRIES) {
            throw new BadFrameException(
                    "a peer message with " + count + " entries, at most " + PeerMessage.MAX_ENTRIES + " are allowed");
        }
        long[] entries = new long[count];
        for (int i = 0; i < count; i++) {
            entries[i] = body.i64();
        }
        return entries;
    }
}
