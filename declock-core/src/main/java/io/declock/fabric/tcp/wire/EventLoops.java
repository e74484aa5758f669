// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.fabric.tcp.wire;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;

/** Event loops over native epoll where there is one, else over NIO. Thread-safe. */
public final class EventLoops implements AutoCloseable {
    private static final boolean NATIVE = Epoll.isAvailable();

    private static final RecvByteBufAllocator RECEIVE_BUFFERS = new ReceiveBuffers();

    private final EventLoopGroup group;

    private EventLoops(EventLoopGroup group) {
        this.group = group;
    }

    /**
     * Starts event loops.
     *
     * @param threads how many, each with a daemon thread
     * @param pollNanos how long a loop polls after it last had something to do, before it sleeps; 0 to sleep at once
     * @param name beginning of the threads' names
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

    /** Returns the class of client channels that fits. */
    public Class<? extends SocketChannel> clientChannel() {
        return NATIVE ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** Returns the class of server channels that fits. */
    public Class<? extends ServerChannel> serverChannel() {
        return NATIVE ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** Returns what channels of event loops receive into. */
    public static RecvByteBufAllocator receiveBuffers() {
        return RECEIVE_BUFFERS;
    }

    /** Stops the loops soon; their channels close. Does not wait. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Waits until the loops have stopped, at most so long; not to be called by one of them. */
    public void awaitClosed(long timeout, TimeUnit unit) {
        group.terminationFuture().awaitUninterruptibly(timeout, unit);
    }
}
