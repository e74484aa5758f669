// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.FabricException.Reason;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.NodeSet;
import io.declock.spi.Resolution;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The frames about a session itself, about names, and about records to reclaim. */
public final class ControlFrames {
    private ControlFrames() {}

    /** Writes HEARTBEAT. */
    public static void writeHeartbeat(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.HEARTBEAT, request);
    }

    /** Reads HEARTBEAT: the number of the request. */
    public static int readHeartbeat(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /** Writes HEARTBEAT_REPLY. */
    public static void writeHeartbeatReply(ByteBuf out, int request, HeartbeatReply reply) {
        int start = FrameWriter.begin(out, FrameType.HEARTBEAT_REPLY, request);
        out.writeLongLE(reply.memoryNodeTimeNanos());
        out.writeLongLE(reply.recordsInUse());
        out.writeLongLE(reply.recordsTotal());
        out.writeLongLE(reply.membershipVersion());
        FrameWriter.end(out, start);
    }

    /** Reads HEARTBEAT_REPLY. */
    public static Numbered<HeartbeatReply> readHeartbeatReply(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new HeartbeatReply(body.i64(), body.i64(), body.i64(), body.i64())));
    }

    /** Writes RESOLVE. */
    public static void writeResolve(ByteBuf out, int request, byte[] fullName) {
        name(out, FrameType.RESOLVE, request, fullName);
    }

    /** Reads RESOLVE: a full name in UTF-8. */
    public static Numbered<byte[]> readResolve(FrameBody body) throws BadFrameException {
        return name(body);
    }

    /** Writes LOOK_UP. */
    public static void writeLookUp(ByteBuf out, int request, byte[] fullName) {
        name(out, FrameType.LOOK_UP, request, fullName);
    }

    /** Reads LOOK_UP: a full name in UTF-8. */
    public static Numbered<byte[]> readLookUp(FrameBody body) throws BadFrameException {
        return name(body);
    }

    private static void name(ByteBuf out, FrameType type, int request, byte[] fullName) {
        int start = FrameWriter.begin(out, type, request);
        FrameWriter.countedBytes(out, fullName);
        FrameWriter.end(out, start);
    }

    private static Numbered<byte[]> name(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), body.countedBytes(Wire.MAX_TEXT)));
    }

    /**
     * RESOLVED.
     *
     * @param resolution the record, or null if the name has none
     */
    public record Found(@Nullable Resolution resolution) {}

    /** Writes RESOLVED. */
    public static void writeResolved(ByteBuf out, int request, @Nullable Resolution found) {
        int start = FrameWriter.begin(out, FrameType.RESOLVED, request);
        out.writeByte(found == null ? 0 : 1);
        if (found != null) {
            out.writeLongLE(found.record());
            out.writeLongLE(found.epoch());
            out.writeBoolean(found.mayBeLeftBehind());
        }
        FrameWriter.end(out, start);
    }

    /** Reads RESOLVED. */
    public static Numbered<Found> readResolved(FrameBody body) throws BadFrameException {
        int request = body.i32();
        boolean found = body.u8() != 0;
        return body.end(new Numbered<>(
                request, new Found(found ? new Resolution(body.i64(), body.i64(), body.u8() != 0) : null)));
    }

    /**
     * RESTORE.
     *
     * @param name full name in UTF-8
     * @param exclusive whether the lock is held for writing
     * @param epoch full epoch that the lock had
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the memory node; never compared.
    public record Restore(byte[] name, boolean exclusive, long epoch) {}

    /** Writes RESTORE. */
    public static void writeRestore(ByteBuf out, int request, Restore hold) {
        int start = FrameWriter.begin(out, FrameType.RESTORE, request);
        FrameWriter.countedBytes(out, hold.name());
        out.writeByte(hold.exclusive() ? 1 : 0);
        out.writeLongLE(hold.epoch());
        FrameWriter.end(out, start);
    }

    /** Reads RESTORE. */
    public static Numbered<Restore> readRestore(FrameBody body) throws BadFrameException {
        int request = body.i32();
        byte[] name = body.countedBytes(Wire.MAX_TEXT);
        return body.end(new Numbered<>(request, new Restore(name, body.u8() != 0, body.i64())));
    }

    /**
     * RESTORED.
     *
     * @param record address of the record
     */
    public record Restored(long record) {}

    /** Writes RESTORED. */
    public static void writeRestored(ByteBuf out, int request, Restored restored) {
        int start = FrameWriter.begin(out, FrameType.RESTORED, request);
        out.writeLongLE(restored.record());
        FrameWriter.end(out, start);
    }

    /** Reads RESTORED. */
    public static Numbered<Restored> readRestored(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new Restored(body.i64())));
    }

    /**
     * RESERVE.
     *
     * @param record address of the record
     * @param nanos how long, 0 to end the reservation
     */
    public record Reserve(long record, long nanos) {}

    /** Writes RESERVE. */
    public static void writeReserve(ByteBuf out, int request, Reserve reservation) {
        int start = FrameWriter.begin(out, FrameType.RESERVE, request);
        out.writeLongLE(reservation.record());
        out.writeLongLE(reservation.nanos());
        FrameWriter.end(out, start);
    }

    /** Reads RESERVE. */
    public static Numbered<Reserve> readReserve(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new Reserve(body.i64(), body.i64())));
    }

    /** Writes MOVED. */
    public static void writeMoved(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.MOVED, request);
    }

    /** Reads MOVED: the number of the request. */
    public static int readMoved(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /** Writes AWAIT_GRACE. */
    public static void writeAwaitGrace(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.AWAIT_GRACE, request);
    }

    /** Reads AWAIT_GRACE: the number of the request. */
    public static int readAwaitGrace(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /**
     * GRACE_OVER.
     *
     * @param epoch full epoch of the records of restored holds
     */
    public record GraceOver(long epoch) {}

    /** Writes GRACE_OVER. */
    public static void writeGraceOver(ByteBuf out, int request, GraceOver over) {
        int start = FrameWriter.begin(out, FrameType.GRACE_OVER, request);
        out.writeLongLE(over.epoch());
        FrameWriter.end(out, start);
    }

    /** Reads GRACE_OVER. */
    public static Numbered<GraceOver> readGraceOver(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new GraceOver(body.i64())));
    }

    /** Writes DECLARE_NODE_SET. */
    public static void writeDeclareNodeSet(ByteBuf out, int request, NodeSet set) {
        int start = FrameWriter.begin(out, FrameType.DECLARE_NODE_SET, request);
        FrameWriter.longs(out, set.hashes());
        FrameWriter.end(out, start);
    }

    /** Reads DECLARE_NODE_SET: the set. */
    public static Numbered<NodeSet> readDeclareNodeSet(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), body.nodeSet()));
    }

    /** Writes LEAVE. */
    public static void writeLeave(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.LEAVE, request);
    }

    /** Reads LEAVE: the number of the request. */
    public static int readLeave(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /** Writes DONE. */
    public static void writeDone(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.DONE, request);
    }

    /** Reads DONE: the number of the request. */
    public static int readDone(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /**
     * REFUSED.
     *
     * @param request number of the request, 0 for the handshake
     * @param reason why
     * @param message why, for people
     */
    public record Refusal(int request, Reason reason, String message) {}

    /** Writes REFUSED. */
    public static void writeRefused(ByteBuf out, int request, Reason reason, @Nullable String message) {
        int start = FrameWriter.begin(out, FrameType.REFUSED, request);
        out.writeByte(reason.code());
        FrameWriter.text(out, String.valueOf(message));
        FrameWriter.end(out, start);
    }

    /** Reads REFUSED. */
    public static Refusal readRefused(FrameBody body) throws BadFrameException {
        return body.end(new Refusal(body.i32(), Reason.of(body.u8()), body.text()));
    }

    /** Writes GOODBYE. */
    public static void writeGoodbye(ByteBuf out, @Nullable String why) {
        int start = FrameWriter.begin(out, FrameType.GOODBYE);
        FrameWriter.text(out, String.valueOf(why));
        FrameWriter.end(out, start);
    }

    /** Reads GOODBYE: why the session has ended, for people. */
    public static String readGoodbye(FrameBody body) throws BadFrameException {
        return body.end(body.text());
    }

    /**
     * A reclaim proposal or its answer.
     *
     * @param round number of the round
     * @param records addresses of the records that are proposed, or of those that are in use
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to its receiver; rounds are never compared.
    public record Reclaim(long round, long[] records) {}

    /** Writes RECLAIM_PROPOSAL. */
    public static void writeReclaimProposal(ByteBuf out, long round, long[] records) {
        reclaim(out, FrameType.RECLAIM_PROPOSAL, round, records);
    }

    /** Reads RECLAIM_PROPOSAL. */
    public static Reclaim readReclaimProposal(FrameBody body) throws BadFrameException {
        return reclaim(body);
    }

    /** Writes RECLAIM_ANSWER. */
    public static void writeReclaimAnswer(ByteBuf out, long round, long[] vetoed) {
        reclaim(out, FrameType.RECLAIM_ANSWER, round, vetoed);
    }

    /** Reads RECLAIM_ANSWER. */
    public static Reclaim readReclaimAnswer(FrameBody body) throws BadFrameException {
        return reclaim(body);
    }

    private static void reclaim(ByteBuf out, FrameType type, long round, long[] records) {
        int start = FrameWriter.begin(out, type);
        out.writeLongLE(round);
        FrameWriter.longs(out, records);
        FrameWriter.end(out, start);
    }

    private static Reclaim reclaim(FrameBody body) throws BadFrameException {
        return body.end(new Reclaim(body.i64(), body.longs(Wire.MAX_RECLAIM)));
    }
}
