// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.internal.memorynode.DirectAccess;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The frames about RDMA connections to a memory node. */
public final class DirectFrames {
    private DirectFrames() {}

    /** Writes DIRECT_ACCESS. */
    public static void writeDirectAccess(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.DIRECT_ACCESS, request);
    }

    /** Reads DIRECT_ACCESS: the number of the request. */
    public static int readDirectAccess(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /**
     * DIRECT_ACCESS_REPLY.
     *
     * @param offer the offer, or null if there is none
     */
    public record Offered(DirectAccess.@Nullable Offer offer) {}

    /** Writes DIRECT_ACCESS_REPLY. */
    public static void writeDirectAccessReply(ByteBuf out, int request, DirectAccess.@Nullable Offer offer) {
        int start = FrameWriter.begin(out, FrameType.DIRECT_ACCESS_REPLY, request);
        out.writeByte(offer == null ? 0 : 1);
        if (offer != null) {
            FrameWriter.text(out, offer.host());
            out.writeShortLE(offer.port());
            out.writeBytes(offer.token());
        }
        FrameWriter.end(out, start);
    }

    /** Reads DIRECT_ACCESS_REPLY. */
    public static Numbered<Offered> readDirectAccessReply(FrameBody body) throws BadFrameException {
        int request = body.i32();
        DirectAccess.Offer offer =
                body.u8() == 0 ? null : new DirectAccess.Offer(body.text(), body.u16(), body.bytes(Wire.SECRET_BYTES));
        return body.end(new Numbered<>(request, new Offered(offer)));
    }

    /** Writes DIRECT_GRANT. */
    public static void writeDirectGrant(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.DIRECT_GRANT, request);
    }

    /** Reads DIRECT_GRANT: the number of the request. */
    public static int readDirectGrant(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /**
     * DIRECT_GRANT_REPLY.
     *
     * @param bytes content of the connection's acceptance
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the caller; grants are never compared.
    public record Grant(byte[] bytes) {}

    /** Writes DIRECT_GRANT_REPLY. */
    public static void writeDirectGrantReply(ByteBuf out, int request, byte[] granted) {
        int start = FrameWriter.begin(out, FrameType.DIRECT_GRANT_REPLY, request);
        FrameWriter.countedBytes(out, granted);
        FrameWriter.end(out, start);
    }

    /** Reads DIRECT_GRANT_REPLY. */
    public static Numbered<Grant> readDirectGrantReply(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new Grant(body.countedBytes(Wire.MAX_GRANT_BYTES))));
    }
}
