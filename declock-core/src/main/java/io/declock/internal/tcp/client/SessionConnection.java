// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Counters;
import io.declock.internal.chains.ChainWindow;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ChainDoneFrame;
import io.declock.internal.tcp.wire.ChainFrame;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.NodeListFrames;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.VerbChain;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a memory node: handshake, then the verbs and the control of one session, which may have had other connections before.
 * Belongs to its event loop, except for the methods that any thread may call.
 */
final class SessionConnection extends FrameConnection implements ChainWindow.Sender {
    private static final Logger LOG = LoggerFactory.getLogger(SessionConnection.class);

    private final TcpFabric fabric;
    private final String node;
    private final Opening opening;
    private final byte[] nonce = Proofs.nonce();
    /** The secret of this connection, which stays the same if the fabric's secret is replaced meanwhile. */
    private final byte[] key;

    private final ChainDoneFrame results = new ChainDoneFrame();
    private byte[] serverNonce = {};
    private int version = Versions.NONE;
    private boolean proved;
    private @Nullable TcpSession session;
    /** Why this connection must end, in place of the cause that the channel tells. */
    private @Nullable FabricException reason;
    /** The session must not be resumed. */
    private boolean isFinal;
    /** A frame has come since that was last asked. */
    private boolean heard;
    // Written by the event loop, read by every thread that relays.
    private volatile boolean stalled;

    SessionConnection(TcpFabric fabric, String node, Opening opening) {
        super(false);
        this.fabric = fabric;
        this.node = node;
        this.opening = opening;
        this.key = fabric.key();
    }

    byte[] nonce() {
        return nonce;
    }

    byte[] serverNonce() {
        return serverNonce;
    }

    /** Returns the version of the protocol in which both sides go on. */
    int version() {
        return version;
    }

    /** Returns whether the memory node reads more slowly than this side writes. */
    boolean isStalled() {
        return stalled;
    }

    /** Returns whether a frame has come since this was last asked. */
    boolean hasHeard() {
        boolean since = heard;
        heard = false;
        return since;
    }

    @Override
    protected void stalled(boolean nowStalled) {
        stalled = nowStalled;
    }

    /** Makes sure that added chains are written; any thread. */
    void chainsAdded() {
        signal();
    }

    /** Returns the memory node's address. */
    InetSocketAddress remoteAddress() {
        return (InetSocketAddress) channel().remoteAddress();
    }

    @Override
    protected void opened() {
        Preamble.of(Wire.ROLE_SESSION, 0, nonce).write(out());
        opening.connected(this);
    }

    @Override
    protected void writeMore(ByteBuf out) {
        TcpSession current = session;
        if (current != null) {
            current.chains().send(this, System.nanoTime());
        }
    }

    @Override
    public void send(int sequence, int oldest, VerbChain chain) {
        ChainFrame.writeChain(out(), sequence, oldest, chain);
    }

    @Override
    protected void foreign(String guess) {
        String hint = guess.equals("TLS") ? "; configure TLS for memory nodes on this side" : "; check host and port";
        goodbye(new FabricException("the process at " + node + " is no DecLock memory node: it speaks " + guess
                + " and not the DecLock protocol" + hint));
    }

    @Override
    protected void badFrame(BadFrameException cause) {
        fabric.counters().count(Counters.Event.BAD_FRAME);
        goodbye(new FabricException(node + " sent a bad frame: " + cause.getMessage(), cause));
    }

    private void goodbye(FabricException why) {
        reason = why;
        isFinal = !(why instanceof FabricException.Refused refused
                && refused.reason().passes());
    }

    @Override
    protected void unexpected(Throwable cause) {
        isFinal = true;
        fabric.log()
                .error(
                        "Closing the connection to {} at {}, because of an unexpected exception",
                        node,
                        channel().remoteAddress(),
                        cause);
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        if (preamble.version() == Versions.NONE) {
            refused(new FabricException.Refused(
                    Reason.BAD_VERSION,
                    node + " speaks " + preamble.versions() + " of the DecLock protocol, this process " + Versions.OURS
                            + ": update the older side"));
            return;
        }
        if (preamble.status() != 0 || preamble.role() != Wire.ROLE_SESSION) {
            throw new BadFrameException(
                    "a preamble of this version with status " + preamble.status() + " and role " + preamble.role());
        }
        serverNonce = preamble.nonce();
        version = preamble.version();
        enter(Phase.COMPUTE_NODE_AWAITS_PROOF);
        HandshakeFrames.writeAuth(out(), Proofs.prove(key, "declock client", nonce, serverNonce));
    }

    @Override
    protected void frame(FrameType type, FrameBody body) throws BadFrameException {
        heard = true;
        TcpSession current = session;
        if (current == null) {
            handshakeFrame(type, body);
        } else if (type == FrameType.CHAIN_DONE) {
            chainDone(current.chains(), body);
        } else if (type == FrameType.GOODBYE) {
            readGoodbye(body);
        } else {
            current.answers().accept(current, type, body, version);
        }
    }

    private void chainDone(ChainWindow chains, FrameBody body) throws BadFrameException {
        int sequence = ChainDoneFrame.readSequence(body);
        VerbChain chain = chains.inFlight(sequence);
        if (chain == null) {
            throw new BadFrameException("an answer to chain " + sequence + ", which is not in flight");
        }
        results.readChainDone(body, chain);
        chains.answered(sequence, System.nanoTime());
        try {
            chain.completed(results);
        } catch (RuntimeException e) {
            LOG.error("The completion of {} threw", chain, e);
        }
    }

    private void handshakeFrame(FrameType type, FrameBody body) throws BadFrameException {
        switch (type) {
            case AUTHENTICATED -> authenticated(body);
            case JOINED, RESUMED -> answered(type, body);
            case NODES_STATE ->
                opening.nodes(NodeListFrames.readNodesState(body).value());
            case REFUSED -> readRefused(body);
            default -> readGoodbye(body);
        }
    }

    private void readRefused(FrameBody body) throws BadFrameException {
        ControlFrames.Refusal refusal = ControlFrames.readRefused(body);
        // A memory node that has not proved that it knows the secret may refuse only because of the secret.
        if (refusal.request() != 0 || !proved && refusal.reason() != Reason.BAD_SECRET) {
            throw new BadFrameException(
                    "a refusal of request " + refusal.request() + " for " + refusal.reason() + " before joining");
        }
        refused(SessionAnswers.exception(node, refusal));
    }

    private void refused(FabricException.Refused refusal) {
        goodbye(refusal);
        fail(refusal);
    }

    private void authenticated(FrameBody body) throws BadFrameException {
        byte[] proof = HandshakeFrames.readAuthenticated(body);
        if (!prove(Proofs.prove(key, "declock server", nonce, serverNonce), proof)) {
            refused(new FabricException.Refused(Reason.BAD_SECRET, node + " does not know the secret itself"));
            return;
        }
        proved = true;
        opening.proved(this);
    }

    private void answered(FrameType type, FrameBody body) throws BadFrameException {
        TcpSession opened = opening.answered(this, type, body);
        enter(Phase.COMPUTE_NODE_JOINED);
        session = opened;
        opening.complete(opened);
    }

    private void readGoodbye(FrameBody body) throws BadFrameException {
        FabricException ended = new FabricException(node + " ended the session: " + ControlFrames.readGoodbye(body));
        goodbye(ended);
        fail(ended);
    }

    /** Ends the connection at its user's request; any thread. */
    void close(FabricException why) {
        fail(why);
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        FabricException why = reason != null ? reason : cause instanceof FabricException known ? known : explain(cause);
        TcpSession current = session;
        if (current == null) {
            opening.failed(why, isFinal);
        } else {
            current.disconnected(this, why, isFinal);
        }
    }

    private FabricException explain(@Nullable Throwable cause) {
        String what = cause == null ? "it closed the connection" : String.valueOf(cause.getMessage());
        String hint = "";
        if (session == null) {
            boolean tls = fabric.settings().clientTls() != null;
            hint = tls
                    ? "; if this happens every time, check that it serves TLS, that its certificate is trusted here and names this host"
                    : "; if this happens every time, check that it is a DecLock memory node and whether it expects TLS";
        }
        return new FabricException(
                (session == null ? opening.title() + " failed: " : "the connection to " + node + " is lost: ")
                        + what
                        + hint,
                cause);
    }
}
