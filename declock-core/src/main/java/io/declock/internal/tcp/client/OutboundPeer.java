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
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
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
        JoinReply self = local.joined();
        HandshakeFrames.writePeerAuth(
                out(),
                new HandshakeFrames.PeerAuth(
                        self.memoryNodeIncarnation(),
                        new MemberId(self.nodeId(), self.incarnation()),
                        new MemberId(to.nodeId(), to.incarnation()),
                        Proofs.prove(ticket, "declock peer client", nonce(), serverNonce)));
    }

    @Override
    void handshake(FrameBody body) throws BadFrameException {
        byte[] proof = HandshakeFrames.readAuthenticated(body);
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
