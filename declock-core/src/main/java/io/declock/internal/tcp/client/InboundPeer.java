// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Wire;

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
        HandshakeFrames.PeerAuth auth = HandshakeFrames.readPeerAuth(body);
        TcpFabric.MemberKey from = keyOf(auth, auth.from());
        TcpSession session = fabric().sessionOf(keyOf(auth, auth.to()));
        if (session == null) {
            // The member is not this process, or not any more: the sender relays, and tries again later.
            fail(null);
            return;
        }
        byte[] ticket = session.ticketFrom(from.nodeId(), from.incarnation());
        if (!prove(Proofs.prove(ticket, "declock peer client", clientNonce, nonce()), auth.proof())) {
            throw new BadFrameException("a peer that is not the member it claims to be");
        }
        HandshakeFrames.writeAuthenticated(out(), Proofs.prove(ticket, "declock peer server", clientNonce, nonce()));
        established(session, from);
    }

    private static TcpFabric.MemberKey keyOf(HandshakeFrames.PeerAuth auth, MemberId member) {
        return new TcpFabric.MemberKey(auth.memoryNode(), member.nodeId(), member.incarnation());
    }
}
