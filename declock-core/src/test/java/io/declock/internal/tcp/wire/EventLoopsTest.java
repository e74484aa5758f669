// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.InvalidSettingException;
import io.declock.TcpTransport;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Commands;
import io.declock.testkit.Needs;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
class EventLoopsTest {
    private static void needs(TcpTransport transport) {
        Needs.that(
                () -> transport != TcpTransport.IO_URING || IoUring.isAvailable(),
                "EventLoopsTest with io_uring",
                "a kernel that allows io_uring");
        Needs.that(() -> transport != TcpTransport.EPOLL || Epoll.isAvailable(), "EventLoopsTest with epoll", "Linux");
    }

    /** Each transport passes every other test as well if another one takes its place. */
    @ParameterizedTest
    @EnumSource
    void channelsAreOfTheTransportThatIsAskedFor(TcpTransport transport) throws Exception {
        needs(transport);
        TcpTransport expected = transport != TcpTransport.AUTO
                ? transport
                : Epoll.isAvailable() ? TcpTransport.EPOLL : TcpTransport.NIO;
        try (EventLoops loops = EventLoops.start(transport, 1, 0, "test")) {
            Channel listening = listen(loops);
            Channel connected = loops.client(loops.group(), new ChannelInboundHandlerAdapter())
                    .connect(listening.localAddress())
                    .sync()
                    .channel();
            assertThat(kindOf(listening)).isEqualTo(expected);
            assertThat(kindOf(connected)).isEqualTo(expected);
        }
    }

    private static TcpTransport kindOf(Channel channel) {
        String name = channel.getClass().getSimpleName();
        return name.startsWith("Epoll")
                ? TcpTransport.EPOLL
                : name.startsWith("IoUring") ? TcpTransport.IO_URING : TcpTransport.NIO;
    }

    @ParameterizedTest
    @CsvSource({"AUTO,0", "AUTO,50000", "NIO,0", "NIO,50000", "EPOLL,0", "IO_URING,0"})
    void closingWhileALoopRunsTasksClosesTheSockets(TcpTransport transport, long pollNanos) throws Exception {
        needs(transport);
        EventLoops loops = EventLoops.start(transport, 1, pollNanos, "test");
        Channel listening = listen(loops);
        int port = ((InetSocketAddress) listening.localAddress()).getPort();
        try (Socket connected = new Socket(InetAddress.getLoopbackAddress(), port)) {
            connected.setSoTimeout(10_000);
            assertThat(connected.getInputStream().read()).isEqualTo('!');
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch closing = new CountDownLatch(1);
            loops.group().next().execute(() -> {
                running.countDown();
                awaitQuietly(closing);
            });
            running.await();

            loops.close();
            closing.countDown();
            loops.awaitClosed(10, TimeUnit.SECONDS);

            assertThat(loops.group().isTerminated()).isTrue();
            assertThat(listening.isOpen()).isFalse();
            assertThat(connected.getInputStream().read()).isEqualTo(-1);
        }
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void loopsOnIoUringCannotPoll() {
        assertThatThrownBy(() -> EventLoops.start(TcpTransport.IO_URING, 1, 1, "test"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContainingAll("transport=IO_URING", "cannot poll", "eventLoopPolling");
    }

    /** An application has Netty's classes for io_uring only if it asks for them. */
    @Test
    void withoutTheClassesOfIoUringEverythingElseStartsAndItIsRefusedByName() throws Exception {
        List<Path> without = Commands.classPath().stream()
                .filter(entry -> !entry.toString().contains("io_uring"))
                .toList();
        List<String> command = Commands.java(List.of(), without, WithoutIoUring.class.getName(), List.of());

        ChildProcess.Finished child = ChildProcess.run(new ProcessBuilder(command), Duration.ofSeconds(25));

        String epoll = Epoll.isAvailable() ? "EPOLL: started" : "EPOLL: refused: transport=EPOLL";
        assertThat(child.text())
                .contains("AUTO: started", "NIO: started", epoll)
                .containsPattern("IO_URING: refused: transport=IO_URING.*add Netty's native library");
        assertThat(child.status()).isZero();
    }

    /**
     * Starts event loops on each transport. A process of its own: classes of Netty that are loaded a second time in one process take the
     * native methods from the first ones when they are unloaded.
     */
    static final class WithoutIoUring {
        public static void main(String[] arguments) {
            for (TcpTransport transport : TcpTransport.values()) {
                System.out.println(transport + ": " + start(transport));
            }
        }

        private static String start(TcpTransport transport) {
            try (EventLoops loops = EventLoops.start(transport, 1, 0, "test")) {
                return "started";
            } catch (InvalidSettingException e) {
                return "refused: " + e.getMessage();
            }
        }
    }

    private static Channel listen(EventLoops loops) throws Exception {
        return loops.server(new Greeting())
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says something to who connects, so that one knows to be accepted. */
    private static final class Greeting extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel accepted) {
            accepted.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                    context.writeAndFlush(context.alloc().buffer().writeByte('!'));
                }
            });
        }
    }
}
