// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameWriter;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.Member;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A connection that this process opened to a peer. */
final class OutboundPeer extends PeerConnection {
    private final TcpSession local;
    private final Member to;
    private final byte[] ticket;
    private byte[] serverNonce = {};

    OutboundPeer(TcpFabric fabric, TcpSession local, Member to, byte[] ticket) {
        super(fabric);
        this.local = local;
        this.to = to;
        this.ticket = ticket;
    }

    @Override
    protected void opened() {
        super.opened();
        Preamble.of(Wire.ROLE_PEER, 0, nonce()).write(out());
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        checkVersion(preamble);
        enter(Phase.CONNECTING_PEER_AWAITS_PROOF);
        serverNonce = preamble.nonce();
        ByteBuf out = out();
        int start = FrameWriter.begin(out, Wire.AUTH);
        out.writeLongLE(local.joined().memoryNodeIncarnation());
        out.writeByte(local.joined().nodeId());
        out.writeIntLE(local.joined().incarnation());
        out.writeByte(to.nodeId());
        out.writeIntLE(to.incarnation());
        out.writeBytes(Proofs.prove(ticket, "declock peer client", nonce(), serverNonce));
        FrameWriter.end(out, start);
    }

    @Override
    void handshake(FrameBody body) throws BadFrameException {
        byte[] proof = body.bytes(Wire.SECRET_BYTES);
        body.end();
        if (!prove(Proofs.prove(ticket, "declock peer server", nonce(), serverNonce), proof)) {
            throw new BadFrameException("a peer that is not the expected member");
        }
        established(local, PeerLinks.keyOf(local, to));
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        super.ended(cause);
        local.peers().attemptEnded(PeerLinks.keyOf(local, to), isEstablished());
    }
}
