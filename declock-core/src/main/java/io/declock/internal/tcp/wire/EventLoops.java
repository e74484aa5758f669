// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.TcpTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Event loops on a transport, and the channels on them. Thread-safe.
 *
 * <p>Closing closes the channels first. Netty's loops close them as well, but not if the shutdown is requested while a loop runs tasks and
 * has nothing else left to do: then sockets stay open for good, and a process that is connected, or connects, waits for an answer.
 */
public final class EventLoops implements AutoCloseable {
    private static final int BACKLOG = 1024;

    private static final RecvByteBufAllocator RECEIVE_BUFFERS = new ReceiveBuffers();

    private final Transport transport;
    private final EventLoopGroup group;
    // Also closes channels that are added between its closing and the end of the loops.
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    private EventLoops(Transport transport, EventLoopGroup group) {
        this.transport = transport;
        this.group = group;
    }

    /** Starts event loops on the best transport that there is, as {@link #start(TcpTransport, int, long, String)} does. */
    public static EventLoops start(int threads, long pollNanos, String name) {
        return start(TcpTransport.AUTO, threads, pollNanos, name);
    }

    /**
     * Starts event loops.
     *
     * @param threads number of loops, each with a daemon thread
     * @param pollNanos how long a loop polls after its last work before it sleeps; 0 to sleep at once
     * @param name prefix of the threads' names
     * @throws io.declock.InvalidSettingException if there is no such transport here
     */
    public static EventLoops start(TcpTransport wanted, int threads, long pollNanos, String name) {
        Transport transport = Transport.of(wanted, pollNanos);
        return new EventLoops(
                transport,
                new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), transport.handler()));
    }

    /** Returns the group. */
    public EventLoopGroup group() {
        return group;
    }

    /**
     * Returns a bootstrap for outbound connections: without delay, with TCP's own keep-alive.
     *
     * @param onLoops these event loops, or one of them
     */
    public Bootstrap client(EventLoopGroup onLoops, ChannelHandler handler) {
        return new Bootstrap()
                .group(onLoops)
                .channel(transport.socket())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, RECEIVE_BUFFERS)
                .handler(tracked(handler));
    }

    /**
     * Returns a bootstrap for a listener; its accepted connections are without delay, with TCP's own keep-alive.
     *
     * @param accepted initializes each accepted channel
     */
    public ServerBootstrap server(ChannelInitializer<Channel> accepted) {
        return new ServerBootstrap()
                .group(group)
                .channel(transport.listener())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .handler(tracked(null))
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, RECEIVE_BUFFERS)
                .childHandler(tracked(accepted));
    }

    private ChannelInitializer<Channel> tracked(@Nullable ChannelHandler then) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channels.add(channel);
                if (then != null) {
                    channel.pipeline().addLast(then);
                }
            }
        };
    }

    /** Closes the channels and begins to stop the loops. Does not wait. */
    @Override
    public void close() {
        channels.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Waits until the loops have stopped, at most for that time. Must not be called on one of the loops. */
    public void awaitClosed(long timeout, TimeUnit unit) {
        group.terminationFuture().awaitUninterruptibly(timeout, unit);
    }
}
