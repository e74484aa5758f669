// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.TcpFabricSettings;
import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.Tls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** Accepts connections from peers. Thread-safe. */
final class PeerListener {
    private static final int BIND_MILLIS = 10_000;
    /** Enough for the members of all memory nodes of any deployment, and for connections that are being opened. */
    private static final int MAX_CONNECTIONS = 8192;

    private final Channel channel;

    private PeerListener(Channel channel) {
        this.channel = channel;
    }

    static PeerListener start(TcpFabric fabric, EventLoops loops) {
        TcpFabricSettings settings = fabric.settings();
        String host = settings.peerBindHost();
        ServerBootstrap server = loops.server(new PeerChannels(fabric));
        ChannelFuture bound = host == null ? server.bind(settings.peerPort()) : server.bind(host, settings.peerPort());
        if (!bound.awaitUninterruptibly(BIND_MILLIS) || !bound.isSuccess()) {
            Throwable cause = bound.cause();
            throw new UncheckedIOException(
                    "cannot listen for peers on " + (host == null ? "" : host + ", ") + "port " + settings.peerPort()
                            + ": "
                            + (cause == null ? "it took too long" : cause.getMessage()),
                    new IOException(cause));
        }
        return new PeerListener(bound.channel());
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    InetAddress address() {
        return ((InetSocketAddress) channel.localAddress()).getAddress();
    }

    /** Returns whether it listens on one address of this host only. */
    boolean isBoundToOneAddress() {
        return !address().isAnyLocalAddress();
    }

    /** Sets up accepted channels. */
    private static final class PeerChannels extends ChannelInitializer<Channel> {
        private final TcpFabric fabric;
        private final AtomicInteger connections = new AtomicInteger();

        PeerChannels(TcpFabric fabric) {
            this.fabric = fabric;
        }

        @Override
        protected void initChannel(Channel accepted) {
            accepted.closeFuture().addListener(done -> connections.getAndDecrement());
            if (connections.incrementAndGet() > MAX_CONNECTIONS) {
                accepted.close();
                return;
            }
            TcpFabricSettings settings = fabric.settings();
            Tls.addServer(accepted.pipeline(), settings.serverTls());
            accepted.pipeline().addLast(new InboundPeer(fabric));
        }
    }
}
