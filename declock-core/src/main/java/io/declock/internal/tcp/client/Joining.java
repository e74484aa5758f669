// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.MemoryNodeAddress;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.spi.FabricException;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeListState;
import io.declock.spi.SessionListener;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Joins a memory node. */
final class Joining implements Opening {
    /** The look-up of the name to advertise may take this fraction of the time for joining; then joining goes on without an address. */
    private static final int NAME_SHARE = 4;

    private final TcpFabric fabric;
    private final MemoryNodeAddress address;
    private final JoinRequest request;
    private final SessionListener listener;
    private final CompletableFuture<ControlSession> result;
    /** The address to advertise to peers; its look-up may still be under way. */
    private CompletableFuture<String> peerAddress = CompletableFuture.completedFuture("");

    private boolean sent;
    private NodeListState nodes = NodeListState.NONE;

    Joining(
            TcpFabric fabric,
            MemoryNodeAddress address,
            JoinRequest request,
            SessionListener listener,
            CompletableFuture<ControlSession> result) {
        this.fabric = fabric;
        this.address = address;
        this.request = request;
        this.listener = listener;
        this.result = result;
    }

    @Override
    public void connected(SessionConnection connection) {
        peerAddress =
                fabric.peerAddressFor(((InetSocketAddress) connection.channel().localAddress()).getAddress());
    }

    @Override
    public void proved(SessionConnection connection) {
        // Usually known by now, because the look-up began when the connection was opened.
        if (peerAddress.isDone()) {
            send(connection, peerAddress.join());
            return;
        }
        long patience = fabric.settings().connectTimeout().toMillis() / NAME_SHARE;
        connection.channel().eventLoop().schedule(() -> sendLater(connection, ""), patience, TimeUnit.MILLISECONDS);
        peerAddress.thenAccept(found -> fabric.execute(connection.channel(), () -> sendLater(connection, found)));
    }

    private void sendLater(SessionConnection connection, String peer) {
        if (!sent && connection.isOpen()) {
            send(connection, peer);
        }
    }

    private void send(SessionConnection connection, String peer) {
        sent = true;
        connection.send(out -> HandshakeFrames.writeJoin(out, request, peer));
    }

    @Override
    public TcpSession answered(SessionConnection connection, FrameType type, FrameBody body) throws BadFrameException {
        if (type != FrameType.JOINED) {
            throw new BadFrameException(type + " in answer to JOIN");
        }
        HandshakeFrames.Joined joined = HandshakeFrames.readJoined(body, connection.version());
        TcpSession session = new TcpSession(
                fabric,
                connection,
                new HandshakeFrames.Joined(joined.reply().with(nodes), joined.memberKey(), joined.resumable()),
                request.leaseNanos(),
                listener,
                address);
        fabric.joined(session);
        return session;
    }

    @Override
    public void nodes(NodeListState state) {
        nodes = state;
    }

    @Override
    public void complete(TcpSession session) {
        result.complete(session);
    }

    @Override
    public void failed(FabricException why, boolean isFinal) {
        result.completeExceptionally(why);
    }

    @Override
    public String title() {
        return "joining memory node " + address.candidates().get(0);
    }
}
