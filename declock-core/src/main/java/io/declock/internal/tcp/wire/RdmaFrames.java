// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.internal.rdma.RdmaOffer;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** The frames about RDMA connections to a memory node. */
public final class RdmaFrames {
    private RdmaFrames() {}

    /** Writes RDMA_ACCESS. */
    public static void writeRdmaAccess(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.RDMA_ACCESS, request);
    }

    /** Reads RDMA_ACCESS: the number of the request. */
    public static int readRdmaAccess(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /**
     * RDMA_ACCESS_REPLY.
     *
     * @param offer the offer, or null if there is none
     */
    public record Offered(@Nullable RdmaOffer offer) {}

    /** Writes RDMA_ACCESS_REPLY. */
    public static void writeRdmaAccessReply(ByteBuf out, int request, @Nullable RdmaOffer offer) {
        int start = FrameWriter.begin(out, FrameType.RDMA_ACCESS_REPLY, request);
        out.writeByte(offer == null ? 0 : 1);
        if (offer != null) {
            FrameWriter.text(out, offer.host());
            out.writeShortLE(offer.port());
            out.writeBytes(offer.token());
        }
        FrameWriter.end(out, start);
    }

    /** Reads RDMA_ACCESS_REPLY. */
    public static Numbered<Offered> readRdmaAccessReply(FrameBody body) throws BadFrameException {
        int request = body.i32();
        RdmaOffer offer = body.u8() == 0 ? null : new RdmaOffer(body.text(), body.u16(), body.bytes(Wire.SECRET_BYTES));
        return body.end(new Numbered<>(request, new Offered(offer)));
    }

    /** Writes RDMA_GRANT. */
    public static void writeRdmaGrant(ByteBuf out, int request) {
        FrameWriter.number(out, FrameType.RDMA_GRANT, request);
    }

    /** Reads RDMA_GRANT: the number of the request. */
    public static int readRdmaGrant(FrameBody body) throws BadFrameException {
        return body.number();
    }

    /**
     * RDMA_GRANT_REPLY.
     *
     * @param bytes content of the connection's acceptance
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from the wire to the caller; grants are never compared.
    public record Grant(byte[] bytes) {}

    /** Writes RDMA_GRANT_REPLY. */
    public static void writeRdmaGrantReply(ByteBuf out, int request, byte[] granted) {
        int start = FrameWriter.begin(out, FrameType.RDMA_GRANT_REPLY, request);
        FrameWriter.countedBytes(out, granted);
        FrameWriter.end(out, start);
    }

    /** Reads RDMA_GRANT_REPLY. */
    public static Numbered<Grant> readRdmaGrantReply(FrameBody body) throws BadFrameException {
        return body.end(new Numbered<>(body.i32(), new Grant(body.countedBytes(Wire.MAX_GRANT_BYTES))));
    }
}
