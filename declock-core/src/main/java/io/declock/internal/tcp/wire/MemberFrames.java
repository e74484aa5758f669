// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.RecordMembers;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The frames about members. */
public final class MemberFrames {
    private MemberFrames() {}

    /** Writes MEMBERS. */
    public static void writeMembers(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.MEMBERS, request);
    }

    /** Reads MEMBERS: the number of the request. */
    public static int readMembers(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /** Writes MEMBERSHIP; request 0 stands for none. */
    public static void writeMembership(ByteBuf out, int request, Membership membership) {
        int start = FrameWriter.begin(out, FrameType.MEMBERSHIP, request);
        write(out, membership);
        FrameWriter.end(out, start);
    }

    /** Reads MEMBERSHIP; request 0 stands for none. */
    public static Numbered<Membership> readMembership(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), read(body)));
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

    /** Writes RECORD_MEMBERSHIP. */
    public static void writeRecordMembership(ByteBuf out, int request, RecordMembers members) {
        int start = FrameWriter.begin(out, FrameType.RECORD_MEMBERSHIP, request);
        write(out, members.all());
        out.writeByte(members.users().members().size());
        for (Member user : members.users().members()) {
            out.writeByte(user.nodeId());
        }
        FrameWriter.end(out, start);
    }

    /** Reads RECORD_MEMBERSHIP. */
    public static Numbered<RecordMembers> readRecordMembership(FrameBody body) throws BadFrameException {
        int request = body.i32();
        Membership all = read(body);
        int count = body.u8();
        BitSet users = new BitSet();
        for (int i = 0; i < count; i++) {
            users.set(body.u8());
        }
        return body.end(new Numbered<>(request, RecordMembers.of(all, users)));
    }

    /** Writes the membership within a frame. */
    static void write(ByteBuf out, Membership membership) {
        out.writeLongLE(membership.version());
        out.writeByte(membership.members().size());
        for (Member member : membership.members()) {
            out.writeByte(member.nodeId());
            out.writeIntLE(member.incarnation());
            FrameWriter.text(out, member.peerAddress());
            FrameWriter.text(out, member.name());
        }
    }

    /** Reads the membership within a frame. */
    static Membership read(FrameBody body) throws BadFrameException {
        long version = body.i64();
        int count = body.u8();
        List<Member> members = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            members.add(new Member(body.u8(), body.i32(), body.text(), body.text()));
        }
        return new Membership(version, members);
    }
}
