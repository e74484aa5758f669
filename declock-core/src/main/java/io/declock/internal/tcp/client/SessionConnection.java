// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.Counters;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection under one session with a memory node: handshake, then verbs and control. Belongs to its event loop, except for the methods
 * of {@link FrameConnection} and {@link ChainWindow} that any thread may call.
 */
final class SessionConnection extends FrameConnection {
    /** The look-up of the name to advertise may take this fraction of the time for joining; then joining goes on without an address. */
    private static final int NAME_SHARE = 4;

    private final TcpFabric fabric;
    private final String node;
    private final JoinRequest request;
    private final SessionListener listener;
    private final CompletableFuture<ControlSession> joining;
    private final ChainWindow chains;
    private final PendingRequests requests = new PendingRequests();
    private final SessionAnswers answers;
    private final byte[] nonce = Proofs.nonce();
    /** The secret of this connection, which stays the same if the fabric's secret is replaced meanwhile. */
    private final byte[] key;

    private byte[] serverNonce = {};
    /** The address to advertise to peers; its look-up may still be under way. */
    private CompletableFuture<String> peerAddress = CompletableFuture.completedFuture("");

    private boolean joinSent;
    private boolean proved;
    private @Nullable TcpSession session;
    private @Nullable FabricException goodbye;
    private volatile @Nullable FabricException failure;
    // Set once, when the connection opens.
    private volatile @Nullable InetAddress remoteAddress;
    private boolean left;
    // Written by the event loop, read by every thread that relays.
    private volatile boolean stalled;

    SessionConnection(
            TcpFabric fabric,
            String node,
            JoinRequest request,
            SessionListener listener,
            CompletableFuture<ControlSession> joining) {
        super(false);
        this.fabric = fabric;
        this.node = node;
        this.request = request;
        this.listener = listener;
        this.joining = joining;
        this.key = fabric.key();
        this.chains = new ChainWindow(fabric.settings().maxInFlight());
        this.answers = new SessionAnswers(node, requests, listener);
    }

    ChainWindow chains() {
        return chains;
    }

    PendingRequests requests() {
        return requests;
    }

    /** Returns why the session has ended, or null. */
    @Nullable
    FabricException failure() {
        return failure;
    }

    /** Returns whether the memory node reads more slowly than this side writes. */
    boolean isStalled() {
        return stalled;
    }

    @Override
    protected void stalled(boolean nowStalled) {
        stalled = nowStalled;
    }

    /** Makes sure that added chains are written. */
    void chainsAdded() {
        signal();
    }

    /** Returns the memory node's address. */
    InetAddress remoteAddress() {
        InetAddress known = remoteAddress;
        if (known == null) {
            throw new IllegalStateException("not connected to " + node + " yet");
        }
        return known;
    }

    @Override
    protected void opened() {
        remoteAddress = ((InetSocketAddress) channel().remoteAddress()).getAddress();
        Preamble.of(Wire.ROLE_SESSION, 0, nonce).write(out());
        peerAddress = fabric.peerAddressFor(((InetSocketAddress) channel().localAddress()).getAddress());
    }

    @Override
    protected void writeMore(ByteBuf out) {
        if (session != null) {
            chains.write(out, System.nanoTime());
        }
    }

    @Override
    protected void foreign(String guess) {
        String hint = guess.equals("TLS") ? "; configure TLS for memory nodes on this side" : "; check host and port";
        goodbye = new FabricException("the process at " + node + " is no DecLock memory node: it speaks " + guess
                + " and not the DecLock protocol" + hint);
    }

    @Override
    protected void badFrame(BadFrameException cause) {
        fabric.counters().count(Counters.Event.BAD_FRAME);
        goodbye = new FabricException(node + " sent a bad frame: " + cause.getMessage(), cause);
    }

    @Override
    protected void unexpected(Throwable cause) {
        fabric.log()
                .error(
                        "Closing the connection to {} at {}, because of an unexpected exception",
                        node,
                        channel().remoteAddress(),
                        cause);
    }

    @Override
    protected void preamble(Preamble preamble) throws BadFrameException {
        if (preamble.version() != Wire.VERSION) {
            goodbye = new FabricException.Refused(
                    Reason.BAD_VERSION,
                    node + " speaks version " + preamble.version() + " of the DecLock protocol, this process version "
                            + Wire.VERSION + ": use the same release of DecLock on both sides");
            fail(goodbye);
            return;
        }
        if (preamble.status() != 0 || preamble.role() != Wire.ROLE_SESSION) {
            throw new BadFrameException(
                    "a preamble of this version with status " + preamble.status() + " and role " + preamble.role());
        }
        serverNonce = preamble.nonce();
        enter(Phase.COMPUTE_NODE_AWAITS_PROOF);
        HandshakeFrames.writeAuth(out(), Proofs.prove(key, "declock client", nonce, serverNonce));
    }

    @Override
    protected void frame(FrameType type, FrameBody body) throws BadFrameException {
        TcpSession current = session;
        if (current == null) {
            handshakeFrame(type, body);
        } else if (type == FrameType.CHAIN_DONE) {
            chains.answered(body, System.nanoTime());
        } else if (type == FrameType.GOODBYE) {
            readGoodbye(body);
        } else {
            answers.accept(current, type, body);
        }
    }

    private void handshakeFrame(FrameType type, FrameBody body) throws BadFrameException {
        switch (type) {
            case AUTHENTICATED -> authenticated(body);
            case JOINED -> joined(body);
            case REFUSED -> refused(body);
            default -> readGoodbye(body);
        }
    }

    private void refused(FrameBody body) throws BadFrameException {
        ControlFrames.Refusal refusal = ControlFrames.readRefused(body);
        // A memory node that has not proved that it knows the secret may refuse only because of the secret.
        if (refusal.request() != 0 || !proved && refusal.reason() != Reason.BAD_SECRET) {
            throw new BadFrameException(
                    "a refusal of request " + refusal.request() + " for " + refusal.reason() + " before joining");
        }
        goodbye = SessionAnswers.exception(node, refusal);
        fail(goodbye);
    }

    private void authenticated(FrameBody body) throws BadFrameException {
        byte[] proof = HandshakeFrames.readAuthenticated(body);
        if (!prove(Proofs.prove(key, "declock server", nonce, serverNonce), proof)) {
            goodbye = new FabricException.Refused(Reason.BAD_SECRET, node + " does not know the secret itself");
            fail(goodbye);
            return;
        }
        proved = true;
        // Usually known by now, because the look-up began when the connection was opened.
        if (peerAddress.isDone()) {
            join(peerAddress.join());
            return;
        }
        long patience = fabric.settings().connectTimeout().toMillis() / NAME_SHARE;
        channel().eventLoop().schedule(() -> joinLater(""), patience, TimeUnit.MILLISECONDS);
        peerAddress.thenAccept(address -> fabric.execute(channel(), () -> joinLater(address)));
    }

    private void joinLater(String address) {
        if (!joinSent && isOpen()) {
            join(address);
            flush();
        }
    }

    private void join(String peerAddress) {
        joinSent = true;
        HandshakeFrames.writeJoin(out(), request, peerAddress);
    }

    private void joined(FrameBody body) throws BadFrameException {
        HandshakeFrames.Joined joined = HandshakeFrames.readJoined(body);
        enter(Phase.COMPUTE_NODE_JOINED);
        TcpSession made = new TcpSession(fabric, this, joined, listener, node);
        session = made;
        fabric.joined(made);
        watch();
        joining.complete(made);
    }

    private void watch() {
        long timeout = fabric.settings().requestTimeout().toNanos();
        channel().eventLoop().schedule(() -> check(timeout), Math.max(1, timeout / 4), TimeUnit.NANOSECONDS);
    }

    private void check(long timeout) {
        if (!isOpen()) {
            return;
        }
        long now = System.nanoTime();
        if (chains.isStuck(now, timeout)) {
            goodbye = new FabricException(
                    node + " has executed nothing for " + TimeUnit.NANOSECONDS.toMillis(timeout) + " ms");
            fail(goodbye);
            return;
        }
        requests.expire(now, node);
        watch();
    }

    private void readGoodbye(FrameBody body) throws BadFrameException {
        goodbye = new FabricException(node + " ended the session: " + ControlFrames.readGoodbye(body));
        fail(goodbye);
    }

    /** The memory node has confirmed that this session left, so its end is not reported as a loss. */
    void left() {
        left = true;
        fail(null);
    }

    /** Ends the connection at its user's request; any thread. */
    void close(FabricException why) {
        fail(why);
    }

    @Override
    protected void ended(@Nullable Throwable cause) {
        FabricException why =
                goodbye != null ? goodbye : cause instanceof FabricException known ? known : explain(cause);
        failure = why;
        chains.failAll(why);
        requests.failAll(why);
        TcpSession current = session;
        if (current == null) {
            joining.completeExceptionally(why);
            return;
        }
        fabric.gone(current);
        current.peers().close();
        if (!left) {
            listener.lost(why);
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
                (session == null ? "joining " + node + " failed: " : "the connection to " + node + " is lost: ")
                        + what
                        + hint,
                cause);
    }
}
