// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.Tls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Serves a {@link MemoryNode} over TCP. Thread-safe. */
public final class MemoryNodeServer implements AutoCloseable {
    private static final int BIND_SECONDS = 10;
    private static final int CLOSE_SECONDS = 2;

    private final ServerContext context;
    private final EventLoops loops;
    private final TcpPredecessorProbe probe;
    private final Channel channel;

    private MemoryNodeServer(ServerContext context, EventLoops loops, TcpPredecessorProbe probe, Channel channel) {
        this.context = context;
        this.loops = loops;
        this.probe = probe;
        this.channel = channel;
    }

    /**
     * Binds and starts to serve. The memory node is not closed with the server.
     *
     * @throws IOException if the address cannot be bound; the message says which
     */
    public static MemoryNodeServer start(MemoryNode node, MemoryNodeServerSettings settings) throws IOException {
        return start(node, settings, null);
    }

    /**
     * Binds and starts to serve, with RDMA access beside this server. Neither the memory node nor the RDMA access is closed with the
     * server.
     *
     * @param rdma offered to sessions that ask for it; executes the verbs of the other sessions too; null for none
     * @throws IOException if the address cannot be bound; the message says which
     * @throws IllegalArgumentException if the memory node's region is made for RDMA access and there is none, or the other way round
     */
    public static MemoryNodeServer start(MemoryNode node, MemoryNodeServerSettings settings, @Nullable RdmaAccess rdma)
            throws IOException {
        if (node.region().executedHere() != (rdma == null)) {
            throw new IllegalArgumentException("verbs on the region of memory node " + node.id() + " are executed by "
                    + (node.region().executedHere() ? "its processor only" : "an adapter only"));
        }
        EventLoops loops = EventLoops.start(
                settings.transport(),
                settings.eventLoopThreads(),
                settings.eventLoopPolling().toNanos(),
                "declock-memory-node");
        try {
            ServerContext context = new ServerContext(node, settings, rdma);
            TcpPredecessorProbe probe = new TcpPredecessorProbe(context, loops);
            // Before the first compute node can join.
            node.predecessors().askThrough(probe);
            node.watchServer(new EventLoopLag(loops)::sinceLastCall);
            return new MemoryNodeServer(context, loops, probe, bind(context, loops));
        } catch (IOException | RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    private static Channel bind(ServerContext context, EventLoops loops) throws IOException {
        MemoryNodeServerSettings settings = context.settings();
        ServerBootstrap listener = loops.server(new ServerChannels(context))
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(settings.maxPendingBytes() / 4, settings.maxPendingBytes()));
        return bind(listener, context.node().id(), settings);
    }

    /** Binds a listener of a memory node. */
    static Channel bind(ServerBootstrap listener, String memoryNode, MemoryNodeServerSettings settings)
            throws IOException {
        ChannelFuture bound = listener.bind(settings.host(), settings.port());
        try {
            bound.get(BIND_SECONDS, TimeUnit.SECONDS);
            return bound.channel();
        } catch (ExecutionException e) {
            throw new IOException(
                    "memory node " + memoryNode + " cannot listen on " + settings.host() + ":"
                            + settings.port() + ": "
                            + String.valueOf(
                                    e.getCause() == null ? e : e.getCause().getMessage()),
                    e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(
                    "binding " + settings.host() + ":" + settings.port() + " took longer than " + BIND_SECONDS + " s",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while binding " + settings.host() + ":" + settings.port(), e);
        }
    }

    /** Sets up accepted channels. */
    private static final class ServerChannels extends ChannelInitializer<Channel> {
        private final ServerContext context;

        ServerChannels(ServerContext context) {
            this.context = context;
        }

        @Override
        protected void initChannel(Channel accepted) {
            Tls.addServer(accepted.pipeline(), context.settings().tls());
            accepted.pipeline().addLast(new ServerConnection(context));
        }
    }

    /**
     * Replaces the accepted secrets. Existing sessions are not affected; every compute node that joins from now on must prove one of these.
     *
     * @param secrets the current secret and, during its replacement, the previous one; if there is none, every compute node may join
     * @throws IllegalArgumentException if one is too short, or there are more than {@value io.declock.Secrets#MOST}; then the previous
     *     secrets stay in force
     */
    public void replaceSecrets(List<String> secrets) {
        context.replaceSecrets(secrets);
    }

    /** Returns the port it listens on. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Returns the address it listens on. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Stops listening and closes every connection; waits at most 2 s for this. */
    @Override
    public void close() {
        context.node().predecessors().askNoLongerThrough(probe);
        loops.close();
        loops.awaitClosed(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
