// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException.Reason;
import io.netty.handler.codec.DecoderException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection to a candidate that stands by: ends with its answer to the first request. Belongs to its event loop. */
final class StandbyConnection extends FrameConnection {
    private final StandbyServer server;
    private final byte[] nonce = Proofs.nonce();
    private byte[] otherNonce = {};
    private boolean fromMemoryNode;

    StandbyConnection(StandbyServer server) {
        super(false);
        this.server = server;
    }

    @Override
    protected void opened() {
        server.admit(this);
        long limit = server.settings().handshakeTimeout().toMillis();
        channel().eventLoop().schedule(this::giveUp, limit, TimeUnit.MILLISECONDS);
    }

    private void giveUp() {
        if (isOpen()) {
            fail(null);
        }
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        boolean understood = preamble.version() != Versions.NONE;
        fromMemoryNode = preamble.role() == Wire.ROLE_MEMORY_NODE;
        int role = fromMemoryNode ? Wire.ROLE_MEMORY_NODE : Wire.ROLE_SESSION;
        Preamble.of(role, understood ? 0 : Reason.BAD_VERSION.code(), nonce).write(out());
        if (!understood) {
            server.refused(this, "speaks " + preamble.versions() + " of the protocol, this candidate " + Versions.OURS);
            fail(null);
            return;
        }
        if (!fromMemoryNode && preamble.role() != Wire.ROLE_SESSION) {
            throw new BadFrameException("a connection of role " + preamble.role() + " to a memory node");
        }
        otherNonce = preamble.nonce();
        enter(fromMemoryNode ? Phase.ASKED_MEMORY_NODE_AWAITS_PROOF : Phase.MEMORY_NODE_AWAITS_PROOF);
    }

    @Override
    protected void frame(FrameType type, FrameBody body) throws BadFrameException {
        switch (type) {
            case AUTH -> authenticate(body);
            case IDENTIFY -> {
                HandshakeFrames.readIdentify(body);
                // No life of the memory node: an incarnation is never 0.
                HandshakeFrames.writeIdentity(out(), new HandshakeFrames.Identity(server.memoryNode(), 0));
                fail(null);
            }
            case PROMISE -> {
                HandshakeFrames.writePromised(out(), server.promises(HandshakeFrames.readPromise(body)));
                fail(null);
            }
            default -> {
                ControlFrames.writeRefused(out(), 0, Reason.STANDS_BY, server.refusal());
                fail(null);
            }
        }
    }

    private void authenticate(FrameBody body) throws BadFrameException {
        byte[] proof = HandshakeFrames.readAuth(body);
        String client = fromMemoryNode ? AskingConnection.ASKING : "declock client";
        String self = fromMemoryNode ? AskingConnection.ASKED : "declock server";
        for (byte[] key : server.keys()) {
            if (prove(Proofs.prove(key, client, otherNonce, nonce), proof)) {
                HandshakeFrames.writeAuthenticated(out(), Proofs.prove(key, self, otherNonce, nonce));
                return;
            }
        }
        server.refused(this, "does not know the secret");
        ControlFrames.writeRefused(
                out(),
                0,
                Reason.BAD_SECRET,
                "the secret is not that of memory node " + server.memoryNode()
                        + ": check declock.secret on both sides");
        fail(null);
    }

    @Override
    protected void foreign(String guess) {
        server.refused(this, "does not speak the DecLock protocol but " + guess);
        if (guess.equals("HTTP")) {
            out().writeBytes(ServerContext.HTTP_ANSWER);
        }
    }

    @Override
    protected void badFrame(BadFrameException cause) {
        server.refused(this, "sent a bad frame: " + cause.getMessage());
    }

    @Override
    protected void unexpected(Throwable cause) {
        server.refused(this, "caused an unexpected exception: " + cause);
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        server.gone(this);
        if (cause instanceof DecoderException) {
            server.refused(this, "broke the TLS handshake: " + cause.getMessage());
        }
    }
}
