// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.spi.GrantedValue;
import io.declock.spi.PeerMessage;
import io.netty.buffer.ByteBuf;

/** The frames between compute nodes, and the tickets for them. */
public final class PeerFrames {
    /** In the number of entries: the grant tells of the lock's value. Since version {@value Wire#VALUES_VERSION}. */
    private static final int TELLS_OF_VALUE = 0x80;

    /** Bytes of a message without entries that tells nothing of a value: two numbers of 1 byte, two of 2, three of 4 and four of 8. */
    private static final int MESSAGE_BYTES = 2 + 2 * Short.BYTES + 3 * Integer.BYTES + 4 * Long.BYTES;

    private PeerFrames() {}

    /** Writes TICKET. */
    public static void writeTicket(ByteBuf out, int request, MemberId peer) {
        int start = FrameWriter.begin(out, FrameType.TICKET, request);
        peer.write(out);
        FrameWriter.end(out, start);
    }

    /** Reads TICKET: the peer. */
    public static Numbered<MemberId> readTicket(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), MemberId.read(body)));
    }

    /**
     * TICKET_REPLY.
     *
     * @param bytes the ticket
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the proof; tickets are never compared.
    public record Ticket(byte[] bytes) {}

    /** Writes TICKET_REPLY. */
    public static void writeTicketReply(ByteBuf out, int request, byte[] ticket) {
        int start = FrameWriter.begin(out, FrameType.TICKET_REPLY, request);
        out.writeBytes(ticket);
        FrameWriter.end(out, start);
    }

    /** Reads TICKET_REPLY. */
    public static Numbered<Ticket> readTicketReply(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new Ticket(body.bytes(Wire.SECRET_BYTES))));
    }

    /** Writes PEER_PROBE. */
    public static void writePeerProbe(ByteBuf out) {
        FrameWriter.end(out, FrameWriter.begin(out, FrameType.PEER_PROBE));
    }

    /** Reads PEER_PROBE, which is empty. */
    public static void readPeerProbe(FrameBody body) throws BadFrameException {
        body.end();
    }

    /** Writes PEER_ECHO. */
    public static void writePeerEcho(ByteBuf out) {
        FrameWriter.end(out, FrameWriter.begin(out, FrameType.PEER_ECHO));
    }

    /** Reads PEER_ECHO, which is empty. */
    public static void readPeerEcho(FrameBody body) throws BadFrameException {
        body.end();
    }

    /**
     * Returns a message as a version of the protocol has it: before {@value Wire#VALUES_VERSION} grants tell nothing of values.
     *
     * @param version the version in which both sides of a connection go on
     */
    public static PeerMessage inVersion(PeerMessage message, int version) {
        return version >= Wire.VALUES_VERSION ? message : message.withoutValue();
    }

    /** Writes PEER_MESSAGE. */
    public static void writePeerMessage(ByteBuf out, PeerMessage message) {
        int start = FrameWriter.begin(out, FrameType.PEER_MESSAGE);
        writeMessage(out, message);
        FrameWriter.end(out, start);
    }

    /** Writes the body of PEER_MESSAGE, which is all that an RDMA SEND carries. */
    public static void writeMessage(ByteBuf out, PeerMessage message) {
        out.writeByte(message.kind().code());
        out.writeLongLE(message.memoryNode());
        out.writeShortLE(message.fromNode());
        out.writeIntLE(message.fromIncarnation());
        out.writeShortLE(message.toNode());
        out.writeIntLE(message.toIncarnation());
        out.writeLongLE(message.record());
        out.writeLongLE(message.epoch());
        out.writeIntLE(message.index());
        out.writeLongLE(message.detail());
        GrantedValue value = message.value();
        out.writeByte(message.entries().length | (value == null ? 0 : TELLS_OF_VALUE));
        for (long entry : message.entries()) {
            out.writeLongLE(entry);
        }
        if (value != null) {
            ValueFrames.writeStored(out, value.stored());
        }
    }

    /** Returns the number of bytes that {@link #writeMessage} writes. */
    public static int messageBytes(PeerMessage message) {
        GrantedValue value = message.value();
        int entries = message.entries().length * Long.BYTES;
        return MESSAGE_BYTES + entries + (value == null ? 0 : ValueFrames.storedBytes(value.stored()));
    }

    /** Reads PEER_MESSAGE. */
    public static PeerMessage readPeerMessage(FrameBody body) throws BadFrameException {
        PeerMessage.Kind kind = readKind(body.u8());
        long memoryNode = body.i64();
        int fromNode = body.u16();
        int fromIncarnation = body.i32();
        int toNode = body.u16();
        int toIncarnation = body.i32();
        long record = body.i64();
        long epoch = body.i64();
        int index = body.i32();
        long detail = body.i64();
        int tail = body.u8();
        long[] entries = readEntries(body, tail & ~TELLS_OF_VALUE);
        GrantedValue value = (tail & TELLS_OF_VALUE) == 0 ? null : readTold(kind, body);
        return body.end(new PeerMessage(
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
                entries,
                value));
    }

    private static GrantedValue readTold(PeerMessage.Kind kind, FrameBody body) throws BadFrameException {
        if (kind != PeerMessage.Kind.GRANT) {
            throw new BadFrameException(
                    "a peer message of kind " + kind + " tells of a value, which only a grant does");
        }
        return new GrantedValue(ValueFrames.readStored(body));
    }

    private static PeerMessage.Kind readKind(int code) throws BadFrameException {
        try {
            return PeerMessage.Kind.of(code);
        } catch (IllegalArgumentException e) {
            throw new BadFrameException("unknown kind of peer message: " + code);
        }
    }

    private static long[] readEntries(FrameBody body, int count) throws BadFrameException {
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
