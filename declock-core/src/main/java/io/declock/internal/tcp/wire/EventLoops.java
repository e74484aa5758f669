// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Event loops on native epoll if it is available, else on NIO, and the channels on them. Thread-safe.
 *
 * <p>Closing closes the channels first. Netty's loops close them as well, but not if the shutdown is requested while a loop runs tasks and
 * has nothing else left to do: then sockets stay open for good, and a process that is connected, or connects, waits for an answer.
 */
public final class EventLoops implements AutoCloseable {
    private static final boolean NATIVE = Epoll.isAvailable();

    private static final int BACKLOG = 1024;

    private static final RecvByteBufAllocator RECEIVE_BUFFERS = new ReceiveBuffers();

    private final EventLoopGroup group;
    // Also closes channels that are added between its closing and the end of the loops.
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    private EventLoops(EventLoopGroup group) {
        this.group = group;
    }

    /**
     * Starts event loops.
     *
     * @param threads number of loops, each with a daemon thread
     * @param pollNanos how long a loop polls after its last work before it sleeps; 0 to sleep at once
     * @param name prefix of the threads' names
     */
    public static EventLoops start(int threads, long pollNanos, String name) {
        SelectStrategyFactory strategy = () -> new PollingStrategy(pollNanos);
        IoHandlerFactory factory = NATIVE
                ? EpollIoHandler.newFactory(0, strategy)
                : NioIoHandler.newFactory(SelectorProvider.provider(), strategy);
        return new EventLoops(new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), factory));
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
                .channel(NATIVE ? EpollSocketChannel.class : NioSocketChannel.class)
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
                .channel(NATIVE ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
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
