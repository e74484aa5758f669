// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import io.declock.InvalidSettingException;
import io.declock.TcpTransport;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;

/**
 * What event loops of a transport are made of. Immutable.
 *
 * @param handler makes what waits for events
 * @param socket class of connections
 * @param listener class of listeners
 */
record Transport(IoHandlerFactory handler, Class<? extends Channel> socket, Class<? extends ServerChannel> listener) {
    private static final String SETTING = "transport";

    /**
     * Returns a transport.
     *
     * @param pollNanos how long an event loop polls after its last work before it sleeps
     * @throws InvalidSettingException if this machine does not have it, or its event loops cannot poll although they should
     */
    static Transport of(TcpTransport wanted, long pollNanos) {
        SelectStrategyFactory strategy = () -> new PollingStrategy(pollNanos);
        return switch (wanted) {
            case AUTO -> Epoll.isAvailable() ? epoll(strategy) : nio(strategy);
            case EPOLL -> {
                check(wanted, Epoll.unavailabilityCause());
                yield epoll(strategy);
            }
            case IO_URING -> {
                if (pollNanos > 0) {
                    throw new InvalidSettingException(
                            SETTING, wanted.name(), "its event loops cannot poll", "Remove {eventLoopPolling}.");
                }
                check(wanted, Uring.unavailabilityCause());
                yield Uring.transport();
            }
            case NIO -> nio(strategy);
        };
    }

    private static Transport epoll(SelectStrategyFactory strategy) {
        return new Transport(
                EpollIoHandler.newFactory(0, strategy), EpollSocketChannel.class, EpollServerSocketChannel.class);
    }

    private static Transport nio(SelectStrategyFactory strategy) {
        return new Transport(
                NioIoHandler.newFactory(SelectorProvider.provider(), strategy),
                NioSocketChannel.class,
                NioServerSocketChannel.class);
    }

    private static void check(TcpTransport wanted, @Nullable Throwable unavailable) {
        if (unavailable != null) {
            throw new InvalidSettingException(
                    SETTING,
                    wanted.name(),
                    "this machine does not have it (" + unavailable + ")",
                    "Remove it to use what there is, or add Netty's native library of it for this platform to the class path.",
                    unavailable);
        }
    }

    /** Netty's classes for io_uring, which are not on every class path. */
    private static final class Uring {
        private Uring() {}

        static @Nullable Throwable unavailabilityCause() {
            try {
                return IoUring.unavailabilityCause();
            } catch (LinkageError absent) {
                return absent;
            }
        }

        static Transport transport() {
            return new Transport(
                    IoUringIoHandler.newFactory(), IoUringSocketChannel.class, IoUringServerSocketChannel.class);
        }
    }
}
