// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.internal.monitor.ThrottledLog;
import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.HandshakeFrames.Promise;
import io.declock.internal.tcp.wire.Tls;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Listens in place of a {@link MemoryNodeServer} while a candidate stands by: tells compute nodes who serves, and promises the candidate
 * that serves not to take over. Has no memory. Thread-safe.
 */
public final class StandbyServer implements AutoCloseable {
    private static final int CLOSE_SECONDS = 2;

    private final String memoryNode;
    private final MemoryNodeServerSettings settings;
    private final Supplier<String> serving;
    private final Predicate<Promise> promises;
    private final List<byte[]> keys;
    private final Newcomers<StandbyConnection> newcomers;
    private final ThrottledLog log;
    private final EventLoops loops;
    private @Nullable Channel channel;

    /** What a stand-by server says. */
    public interface Says {
        /** Returns who serves, in words: "tcp://a1:7420 serves in term 7". */
        String serving();

        /** Promises not to take over for a time, or does not. */
        boolean promises(long term, long nanos);
    }

    private StandbyServer(
            String memoryNode, MemoryNodeServerSettings settings, Says says, Clock clock, TimerService timer) {
        this.memoryNode = memoryNode;
        this.settings = settings;
        this.serving = says::serving;
        this.promises =
                promise -> promise.memoryNode().equals(memoryNode) && says.promises(promise.term(), promise.nanos());
        this.keys = ServerContext.keysOf(settings.secrets());
        this.newcomers = new Newcomers<>(settings.maxConnections(), settings.maxNewcomersPerAddress());
        this.log = new ThrottledLog(LoggerFactory.getLogger(StandbyServer.class), clock, timer, ThrottledLog.INTERVAL);
        this.loops = EventLoops.start(1, 0, "declock-stand-by");
    }

    /**
     * Binds and begins to listen.
     *
     * @throws IOException if the address cannot be bound; the message says which
     */
    public static StandbyServer start(
            String memoryNode, MemoryNodeServerSettings settings, Says says, Clock clock, TimerService timer)
            throws IOException {
        StandbyServer server = new StandbyServer(memoryNode, settings, says, clock, timer);
        try {
            server.channel = MemoryNodeServer.bind(server.loops.server(server.new Channels()), memoryNode, settings);
            return server;
        } catch (IOException | RuntimeException e) {
            server.loops.close();
            throw e;
        }
    }

    private final class Channels extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel accepted) {
            Tls.addServer(accepted.pipeline(), settings.tls());
            accepted.pipeline().addLast(new StandbyConnection(StandbyServer.this));
        }
    }

    String memoryNode() {
        return memoryNode;
    }

    MemoryNodeServerSettings settings() {
        return settings;
    }

    List<byte[]> keys() {
        return keys;
    }

    /** Returns why a compute node cannot join here. */
    String refusal() {
        return "this candidate of memory node " + memoryNode + " stands by; " + serving.get();
    }

    boolean promises(Promise promise) {
        return promises.test(promise);
    }

    void admit(StandbyConnection connection) {
        StandbyConnection evicted = newcomers.add(
                connection, ServerContext.networkOf(connection.channel().remoteAddress()));
        if (evicted != null) {
            evicted.fail(null);
        }
    }

    void gone(StandbyConnection connection) {
        newcomers.remove(connection);
    }

    void refused(FrameConnection connection, String why) {
        log.warn(
                "Closed the connection from {}: it {}.",
                String.valueOf(connection.channel().remoteAddress()),
                why);
    }

    /** Returns the port it listens on. */
    public int port() {
        Channel bound = channel;
        return bound == null ? 0 : ((InetSocketAddress) bound.localAddress()).getPort();
    }

    /** Stops listening and closes every connection; waits at most 2 s for this. */
    @Override
    public void close() {
        loops.close();
        loops.awaitClosed(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
