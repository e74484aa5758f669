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
import io.netty.buffer.ByteBuf;

/** A connection that a peer opened. */
final class InboundPeer extends PeerConnection {
    private byte[] clientNonce = {};

    InboundPeer(TcpFabric fabric) {
        super(fabric);
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        Preamble.of(Wire.ROLE_PEER, 0, nonce()).write(out());
        checkVersion(preamble);
        enter(Phase.ACCEPTING_PEER_AWAITS_PROOF);
        clientNonce = preamble.nonce();
    }

    @Override
    void handshake(FrameBody body) throws BadFrameException {
        long memoryNode = body.i64();
        var from = new TcpFabric.MemberKey(memoryNode, body.u8(), body.i32());
        var to = new TcpFabric.MemberKey(memoryNode, body.u8(), body.i32());
        byte[] proof = body.bytes(Wire.SECRET_BYTES);
        body.end();
        TcpSession session = fabric().sessionOf(to);
        if (session == null) {
            // The member is not this process, or not any more: the sender relays, and tries again later.
            fail(null);
            return;
        }
        byte[] ticket = session.ticketFrom(from.nodeId(), from.incarnation());
        if (!prove(Proofs.prove(ticket, "declock peer client", clientNonce, nonce()), proof)) {
            throw new BadFrameException("a peer that is not the member it claims to be");
        }
        ByteBuf out = out();
        int start = FrameWriter.begin(out, Wire.AUTHENTICATED);
        out.writeBytes(Proofs.prove(ticket, "declock peer server", clientNonce, nonce()));
        FrameWriter.end(out, start);
        established(session, from);
    }
}
