// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.MembershipChange;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The frames about members. */
public final class MemberFrames {
    /** Of a member's node id: it asks for locks that others keep. */
    private static final int ASKS_FOR_KEPT = 0x8000;

    private MemberFrames() {}

    /** Writes MEMBERS. */
    public static void writeMembers(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.MEMBERS, request);
    }

    /** Reads MEMBERS: the number of the request. */
    public static int readMembers(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /** Writes MEMBERSHIP. */
    public static void writeMembership(ByteBuf out, Membership membership, int version) {
        int start = FrameWriter.begin(out, FrameType.MEMBERSHIP);
        write(out, membership, version);
        FrameWriter.end(out, start);
    }

    /** Reads MEMBERSHIP. */
    public static Membership readMembership(FrameBody body, int version) throws BadFrameException {
        return body.end(read(body, version));
    }

    /** Writes MEMBERSHIP_CHANGE. */
    public static void writeMembershipChange(ByteBuf out, MembershipChange change, int version) {
        int start = FrameWriter.begin(out, FrameType.MEMBERSHIP_CHANGE);
        out.writeLongLE(change.from()).writeLongLE(change.to());
        out.writeShortLE(change.gone().size());
        for (int nodeId : change.gone()) {
            out.writeShortLE(nodeId);
        }
        write(out, change.come(), version);
        FrameWriter.end(out, start);
    }

    /** Reads MEMBERSHIP_CHANGE. */
    public static MembershipChange readMembershipChange(FrameBody body, int version) throws BadFrameException {
        long from = body.i64();
        long to = body.i64();
        int count = body.u16();
        List<Integer> gone = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            gone.add(body.u16());
        }
        return body.end(new MembershipChange(from, to, gone, readAll(body, version)));
    }

    /** Writes RECORD_MEMBERS. */
    public static void writeRecordMembers(ByteBuf out, int request, long record) {
        int start = FrameWriter.begin(out, FrameType.RECORD_MEMBERS, request);
        out.writeLongLE(record);
        FrameWriter.end(out, start);
    }

    /** Reads RECORD_MEMBERS: the address of the record. */
    public static Numbered<Long> readRecordMembers(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), body.i64()));
    }

    /** Writes RECORD_MEMBERSHIP: which members know the record. */
    public static void writeRecordMembership(ByteBuf out, int request, List<Member> users) {
        int start = FrameWriter.begin(out, FrameType.RECORD_MEMBERSHIP, request);
        out.writeShortLE(users.size());
        for (Member user : users) {
            out.writeShortLE(user.nodeId());
        }
        FrameWriter.end(out, start);
    }

    /** Reads RECORD_MEMBERSHIP: the node ids of the members that know the record. */
    public static Numbered<BitSet> readRecordMembership(FrameBody body) throws BadFrameException {
        int request = body.i32();
        int count = body.u16();
        BitSet users = new BitSet();
        for (int i = 0; i < count; i++) {
            users.set(body.u16());
        }
        return body.end(new Numbered<>(request, users));
    }

    /** Writes the membership within a frame. */
    static void write(ByteBuf out, Membership membership, int version) {
        out.writeLongLE(membership.version());
        write(out, membership.members(), version);
    }

    private static void write(ByteBuf out, List<Member> members, int version) {
        out.writeShortLE(members.size());
        for (Member member : members) {
            boolean told = version >= Wire.KEEPING_VERSION && member.asksForKept();
            out.writeShortLE(member.nodeId() | (told ? ASKS_FOR_KEPT : 0));
            out.writeIntLE(member.incarnation());
            FrameWriter.text(out, member.peerAddress());
            FrameWriter.text(out, member.name());
        }
    }

    /** Reads the membership within a frame. */
    static Membership read(FrameBody body, int version) throws BadFrameException {
        return new Membership(body.i64(), readAll(body, version));
    }

    private static List<Member> readAll(FrameBody body, int version) throws BadFrameException {
        int count = body.u16();
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int id = body.u16();
            boolean asks = version >= Wire.KEEPING_VERSION && (id & ASKS_FOR_KEPT) != 0;
            members.add(new Member(asks ? id & ~ASKS_FOR_KEPT : id, body.i32(), body.text(), body.text(), asks));
        }
        return members;
    }
}
