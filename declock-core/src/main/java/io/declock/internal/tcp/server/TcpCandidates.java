// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.MemoryNodeAddress;
import io.declock.TlsMaterial;
import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.HandshakeFrames.Promise;
import io.declock.internal.tcp.wire.Tls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The other candidates of a memory node, over TCP: asks them to promise not to take over, each on a connection of its own. The other side
 * must prove that it knows a secret of this memory node. Thread-safe.
 */
public final class TcpCandidates implements AutoCloseable {
    private final EventLoops loops = EventLoops.start(1, 0, "declock-candidates");
    private final List<byte[]> keys;
    private final @Nullable TlsMaterial tls;
    private final Lookup lookup;
    /** Names are looked up here, one after the other: a promise that comes too late is asked for again. */
    private final ExecutorService names =
            new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(64), task -> {
                Thread thread = new Thread(task, "declock-candidate-names");
                thread.setDaemon(true);
                return thread;
            });

    /** Asks the name service for every address of a host; may block. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] find(String host) throws UnknownHostException;
    }

    /** Makes one with the secrets and TLS of the memory node's server. */
    public TcpCandidates(MemoryNodeServerSettings settings) {
        this(settings, InetAddress::getAllByName);
    }

    /** As {@link #TcpCandidates(MemoryNodeServerSettings)}, with another name service. */
    TcpCandidates(MemoryNodeServerSettings settings, Lookup lookup) {
        this.lookup = lookup;
        this.keys = ServerContext.keysOf(settings.secrets());
        this.tls = TcpPredecessorProbe.tlsOf(settings.tls());
    }

    /**
     * Asks every one of several candidates to promise not to take over.
     *
     * @param memoryNode id of the memory node
     * @param others addresses of the candidates
     * @param term term of the candidate that serves
     * @param nanos how long the promise is to last from its receipt
     * @param all runs once if all have promised, else never
     */
    public void askToPromise(String memoryNode, List<MemoryNodeAddress> others, long term, long nanos, Runnable all) {
        AtomicInteger missing = new AtomicInteger(others.size());
        Runnable promised = () -> {
            if (missing.decrementAndGet() == 0) {
                all.run();
            }
        };
        Promise promise = new Promise(memoryNode, term, nanos);
        for (MemoryNodeAddress other : others) {
            try {
                names.execute(() -> ask(other, promise, promised));
            } catch (RejectedExecutionException e) {
                // Too many names are being looked up, or this is closed: there is no promise.
            }
        }
    }

    private void ask(MemoryNodeAddress other, Promise promise, Runnable promised) {
        try {
            // Each address of a name may be another candidate, and every one must promise.
            InetAddress[] found = lookup.find(other.host());
            AtomicInteger missing = new AtomicInteger(found.length);
            for (InetAddress host : found) {
                ask(new InetSocketAddress(host, other.port()), promise, keys, () -> {
                    if (missing.decrementAndGet() == 0) {
                        promised.run();
                    }
                });
            }
        } catch (UnknownHostException e) {
            // There is no promise.
        }
    }

    private void ask(InetSocketAddress to, Promise promise, List<byte[]> left, Runnable promised) {
        List<byte[]> others = left.subList(1, left.size());
        PromiseConnection connection = new PromiseConnection(left.get(0), promise, promised, () -> {
            if (!others.isEmpty()) {
                ask(to, promise, others, promised);
            }
        });
        ChannelInitializer<Channel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                Tls.addClient(channel.pipeline(), tls, false, to.getHostString(), to.getPort());
                channel.pipeline().addLast(connection);
            }
        };
        try {
            loops.client(loops.group(), initializer)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) AskingConnection.TIMEOUT.toMillis())
                    .connect(to);
        } catch (RejectedExecutionException | IllegalStateException e) {
            // This is closed.
        }
    }

    @Override
    public void close() {
        names.shutdownNow();
        loops.close();
    }
}
