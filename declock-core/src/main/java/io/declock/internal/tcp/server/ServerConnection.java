// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberFrames;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.SocketAddresses;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import io.netty.handler.codec.DecoderException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One compute node's connection to the memory node: first the handshake, then its session. Belongs to its event loop. */
final class ServerConnection extends FrameConnection implements SessionListener {
    private final ServerContext server;
    private final ProcessorChains chains;
    /** Null if the processor executes the verbs. */
    private final @Nullable AdapterChains adapterChains;

    private final SessionRequests requests;
    private final byte[] nonce = Proofs.nonce();
    private byte[] clientNonce = {};
    /** The other side is a memory node that asks for this one's identity. */
    private boolean fromMemoryNode;

    private boolean greeted;
    private @Nullable MemoryNodeSession session;
    private boolean entered;
    // Written by the event loop, read by every thread that relays.
    private volatile boolean stalled;
    private final AtomicReference<@Nullable Membership> untold = new AtomicReference<>();
    private long stalledSince;

    ServerConnection(ServerContext server) {
        super(true);
        this.server = server;
        this.chains = new ProcessorChains(server.node());
        RdmaAccess rdma = server.rdma();
        this.adapterChains = rdma == null ? null : new AdapterChains(rdma.adapter(), server.node(), this);
        this.requests = new SessionRequests(server, this);
    }

    @Override
    protected void opened() {
        server.admit(this);
        MemoryNodeServerSettings settings = server.settings();
        later(settings.preambleTimeout(), this::checkGreeted);
        later(settings.handshakeTimeout(), this::checkJoined);
    }

    private void later(Duration delay, Runnable check) {
        channel().eventLoop().schedule(check, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void checkGreeted() {
        if (!greeted && isOpen()) {
            server.refused(
                    this,
                    "sent no preamble within "
                            + server.settings().preambleTimeout().toMillis() + " ms");
            fail(null);
        }
    }

    private void checkJoined() {
        if (session == null && isOpen()) {
            server.refused(
                    this,
                    "did not join within "
                            + server.settings().handshakeTimeout().toMillis() + " ms");
            fail(null);
        }
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        boolean sameVersion = preamble.version() == Wire.VERSION;
        int status = sameVersion ? 0 : Reason.BAD_VERSION.code();
        fromMemoryNode = preamble.role() == Wire.ROLE_MEMORY_NODE;
        Preamble.of(fromMemoryNode ? Wire.ROLE_MEMORY_NODE : Wire.ROLE_SESSION, status, nonce)
                .write(out());
        if (!sameVersion) {
            server.refused(
                    this,
                    "speaks version " + preamble.version() + " of the protocol, this memory node version "
                            + Wire.VERSION);
            fail(null);
            return;
        }
        if (!fromMemoryNode && preamble.role() != Wire.ROLE_SESSION) {
            throw new BadFrameException("a connection of role " + preamble.role() + " to a memory node");
        }
        clientNonce = preamble.nonce();
        greeted = true;
        enter(fromMemoryNode ? Phase.ASKED_MEMORY_NODE_AWAITS_PROOF : Phase.MEMORY_NODE_AWAITS_PROOF);
    }

    @Override
    protected void foreign(String guess) {
        server.foreign(this, guess);
        if (guess.equals("HTTP")) {
            out().writeBytes(ServerContext.HTTP_ANSWER);
        }
    }

    @Override
    protected void badFrame(BadFrameException cause) {
        server.badFrame(this, cause);
        if (greeted) {
            ControlFrames.writeGoodbye(out(), "bad frame: " + cause.getMessage());
        }
    }

    @Override
    protected void unexpected(Throwable cause) {
        server.unexpected(this, cause);
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        server.gone(this);
        MemoryNodeSession current = session;
        if (current == null && cause instanceof DecoderException) {
            // A TLS failure: a plain-text client, or certificates that do not match.
            server.refused(this, "broke the TLS handshake: " + cause.getMessage());
        }
        if (current != null) {
            if (entered) {
                entered = false;
                current.exit();
            }
            current.disconnected();
        }
    }

    @Override
    protected void batchBegins() {
        MemoryNodeSession current = session;
        entered = current != null && current.enter();
    }

    @Override
    protected void batchEnds() {
        MemoryNodeSession current = session;
        if (entered && current != null) {
            entered = false;
            current.exit();
        }
    }

    @Override
    protected void frame(FrameType type, FrameBody body) throws BadFrameException {
        MemoryNodeSession current = session;
        if (current == null) {
            if (type == FrameType.AUTH) {
                authenticate(body);
            } else if (type == FrameType.IDENTIFY) {
                identify(body);
            } else {
                join(body);
            }
        } else if (type == FrameType.CHAIN) {
            chain(current, body);
        } else {
            requests.accept(current, type, body, out());
        }
    }

    private void chain(MemoryNodeSession current, FrameBody body) throws BadFrameException {
        AdapterChains posted = adapterChains;
        if (posted != null) {
            posted.accept(current, body);
        } else if (entered) {
            chains.accept(body, out());
        }
        // Otherwise the session is cut, and the code that cut it closes the connection.
    }

    private void authenticate(FrameBody body) throws BadFrameException {
        byte[] proof = HandshakeFrames.readAuth(body);
        String client = fromMemoryNode ? ProbeConnection.ASKING : "declock client";
        String self = fromMemoryNode ? ProbeConnection.ASKED : "declock server";
        for (byte[] key : server.keys()) {
            if (prove(Proofs.prove(key, client, clientNonce, nonce), proof)) {
                server.proved(this);
                // The answer uses the secret of the other side, which may be this side's previous one.
                HandshakeFrames.writeAuthenticated(out(), Proofs.prove(key, self, clientNonce, nonce));
                return;
            }
        }
        server.refused(this, "does not know the secret");
        ControlFrames.writeRefused(
                out(),
                0,
                Reason.BAD_SECRET,
                "the secret is not that of memory node " + server.node().id() + ": check declock.secret on both sides");
        fail(null);
    }

    private void identify(FrameBody body) throws BadFrameException {
        server.asked(this, HandshakeFrames.readIdentify(body));
        HandshakeFrames.writeIdentity(out(), server.identity());
        fail(null);
    }

    private void join(FrameBody body) throws BadFrameException {
        JoinRequest request = HandshakeFrames.readJoin(body);
        MemoryNodeSession joined;
        try {
            joined =
                    server.node().join(request, SocketAddresses.textOf(channel().localAddress()), this);
        } catch (FabricException.Refused e) {
            ControlFrames.writeRefused(out(), 0, e.reason(), e.getMessage());
            fail(null);
            return;
        }
        enter(Phase.MEMORY_NODE_SERVES);
        session = joined;
        server.joined(this);
        entered = joined.enter();
        HandshakeFrames.writeJoined(out(), joined.joined(), server.tickets().keyOf(joined.member()));
    }

    @Override
    protected void stalled(boolean nowStalled) {
        stalled = nowStalled;
        if (nowStalled) {
            long since = ++stalledSince;
            later(server.settings().stallTimeout(), () -> checkStalled(since));
        } else {
            tellMembers();
        }
    }

    private void checkStalled(long since) {
        if (stalled && since == stalledSince && isOpen()) {
            server.node().counts().count(NodeCounts.Kind.SLOW_READER);
            server.refused(
                    this,
                    "left its answers unread for "
                            + server.settings().stallTimeout().toMillis() + " ms");
            fail(null);
        }
    }

    /** A compute node that does not read gets only the latest membership once it reads again, so that memberships do not pile up. */
    @Override
    public void membershipChanged(Membership membership) {
        untold.accumulateAndGet(
                membership, (had, now) -> had != null && now != null && had.version() > now.version() ? had : now);
        if (!stalled) {
            tellMembers();
        }
    }

    private void tellMembers() {
        Membership latest = untold.getAndSet(null);
        if (latest != null) {
            send(out -> MemberFrames.writeMembership(out, 0, latest));
        }
    }

    @Override
    public void peerMessage(PeerMessage message) {
        // Best effort: unread messages must not pile up.
        if (!stalled) {
            send(out -> PeerFrames.writePeerMessage(out, message));
        }
    }

    @Override
    public void reclaimProposed(long round, long[] records) {
        send(out -> ControlFrames.writeReclaimProposal(out, round, records));
    }

    @Override
    public void lost(FabricException cause) {
        send(out -> ControlFrames.writeGoodbye(out, cause.getMessage()));
        fail(cause);
    }
}
