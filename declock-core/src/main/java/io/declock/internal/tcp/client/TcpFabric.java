// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.MemoryNodeAddress;
import io.declock.Secrets;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.ThrottledLog;
import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Tls;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The fabric to memory nodes over TCP, addressed as {@code tcp://host:port}, with a listener for messages from peers. Thread-safe.
 */
public final class TcpFabric implements Fabric {
    /** Scheme of the addresses it serves. */
    public static final String SCHEME = "tcp";

    private static final int CLOSE_SECONDS = 2;

    private final TcpFabricSettings settings;
    private final FabricCounters counters;
    private volatile byte[] key;
    private final EventLoops loops;
    private final LongestEventLoopLag lag;
    private static final int ATTEMPT_PART = 6;
    private static final long LEAST_ATTEMPT_NANOS = 500_000_000;

    private final ConnectTimeouts connectTimeouts;
    private final ThrottledLog log;
    private final HostAddresses hosts;
    private final @Nullable AdvertisedAddress advertisedAddress;
    private final Map<MemberKey, TcpSession> sessions = new ConcurrentHashMap<>();
    private final Map<SessionConnection, CompletableFuture<ControlSession>> joining = new ConcurrentHashMap<>();
    /** Keeps tasks from event loops that are closing: a task that they no longer take would neither succeed nor fail. */
    private final ReentrantLock lifecycle = new ReentrantLock();

    private volatile String advertised = "";
    // Written with the lock held.
    private volatile boolean closed;

    /** A member of a memory node. */
    record MemberKey(long memoryNode, int nodeId, int incarnation) {}

    private TcpFabric(TcpFabricSettings settings, FabricCounters counters, HostAddresses.Lookup lookup) {
        this.settings = settings;
        this.counters = counters;
        this.key = Proofs.keyOf(settings.secret());
        this.connectTimeouts = new ConnectTimeouts(settings.connectTimeout());
        this.loops = EventLoops.start(
                settings.transport(),
                settings.eventLoopThreads(),
                settings.eventLoopPolling().toNanos(),
                "declock-tcp");
        this.lag = new LongestEventLoopLag(loops);
        this.log = new ThrottledLog(
                LoggerFactory.getLogger(TcpFabric.class), System::nanoTime, this::later, ThrottledLog.INTERVAL);
        this.hosts = new HostAddresses(lookup);
        // Without server TLS a listener would accept messages in plain text although TLS was asked for.
        boolean listens = settings.listen() && (settings.clientTls() == null || settings.serverTls() != null);
        try {
            PeerListener listener = listens ? PeerListener.start(this, loops) : null;
            this.advertisedAddress =
                    listener == null ? null : new AdvertisedAddress(settings.peerHost(), listener, hosts, log);
        } catch (RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    /**
     * Starts a fabric.
     *
     * @throws java.io.UncheckedIOException if the configured peer port cannot be bound
     */
    public static TcpFabric open(TcpFabricSettings settings, FabricCounters counters) {
        return open(settings, counters, InetAddress::getAllByName);
    }

    /** As {@link #open(TcpFabricSettings, FabricCounters)}, with another name service. */
    static TcpFabric open(TcpFabricSettings settings, FabricCounters counters, HostAddresses.Lookup lookup) {
        return new TcpFabric(settings, counters, lookup);
    }

    /**
     * Replaces the secret. Existing sessions are not affected; later joins prove this one.
     *
     * @param secret the new secret, null or empty for none
     * @throws IllegalArgumentException if it is too short; then the former secret stays in force
     */
    public void replaceSecret(@Nullable String secret) {
        key = Proofs.keyOf(Secrets.checked(secret));
    }

    @Override
    public boolean supports(MemoryNodeAddress address) {
        return address.scheme().equals(SCHEME);
    }

    @Override
    @SuppressWarnings("unchecked") // A stage only gives, so one of a subtype will do.
    public CompletionStage<FabricSession> join(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        return (CompletionStage<FabricSession>) (CompletionStage<?>) joinControl(address, request, listener);
    }

    /**
     * Connects and joins for a fabric that has a data plane of its own. The scheme of the address is ignored.
     *
     * @return as of {@link #join}
     */
    public CompletionStage<ControlSession> joinControl(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        CompletableFuture<ControlSession> result = new CompletableFuture<>();
        MemoryNodeAddress candidate = address.candidates().get(0);
        String node = "memory node " + candidate;
        SessionConnection connection =
                new SessionConnection(this, node, new Joining(this, address, request, listener, result));
        if (whileOpen(() -> joining.put(connection, result))) {
            result.whenComplete((session, failure) -> joining.remove(connection));
            beginJoining(address, request, connection, node, result);
        } else {
            result.completeExceptionally(closedFabric());
        }
        return result;
    }

    static FabricException closedFabric() {
        return new FabricException("the fabric is closed");
    }

    private void beginJoining(
            MemoryNodeAddress address,
            JoinRequest request,
            SessionConnection connection,
            String node,
            CompletableFuture<ControlSession> result) {
        // A name with several addresses stands for as many candidates: each round of attempts tries another one.
        long round = request.attempt() / address.candidates().size();
        CompletableFuture<InetAddress> host = addressOf(address.host(), round);
        long patience = attemptNanos(address, request.leaseNanos());
        later(
                patience,
                () -> giveUp(
                        result, connection, node, patience, host.isDone() ? "" : ": its name was not resolved so far"));
        host.whenComplete((found, failure) -> {
            if (failure != null) {
                failJoining(result, node, failure);
            } else if (!result.isDone()
                    && !whileOpen(() -> connectTo(address, found, request.leaseNanos(), connection, node, result))) {
                result.completeExceptionally(closedFabric());
            }
        });
    }

    private void connectTo(
            MemoryNodeAddress address,
            InetAddress host,
            long leaseNanos,
            SessionConnection connection,
            String node,
            CompletableFuture<ControlSession> result) {
        long began = System.nanoTime();
        long millis = connectTimeouts.millis(address, leaseNanos);
        MemoryNodeAddress candidate = address.candidates().get(0);
        connect(loops.group(), address.host(), new InetSocketAddress(host, address.port()), true, millis, connection)
                .addListener(done -> {
                    if (done.isSuccess()) {
                        connectTimeouts.connected(candidate, System.nanoTime() - began);
                    } else {
                        failJoining(result, node, done.cause());
                    }
                });
    }

    /**
     * Returns how long an attempt to join or to resume may take. With several candidates it is a part of the lease: one that stands still must
     * not keep this process from the others for as long as it has holds.
     */
    long attemptNanos(MemoryNodeAddress address, long leaseNanos) {
        long full = settings.connectTimeout().toNanos();
        return address.others().isEmpty()
                ? full
                : Math.min(full, Math.max(LEAST_ATTEMPT_NANOS, leaseNanos / ATTEMPT_PART));
    }

    /**
     * Returns to how many different places {@link #reconnect} goes in turn: the candidates; or, where one name stands for all of them, the
     * last address and what the name resolves to.
     */
    static int placesToReconnect(MemoryNodeAddress address) {
        int candidates = address.candidates().size();
        return candidates == 1 && HostAddresses.written(address.host()) == null ? 2 : candidates;
    }

    /** Runs a task that uses the event loops, unless they are closing; returns whether it ran. */
    private boolean whileOpen(Runnable task) {
        lifecycle.lock();
        try {
            if (!closed) {
                task.run();
            }
            return !closed;
        } finally {
            lifecycle.unlock();
        }
    }

    private static void failJoining(CompletableFuture<ControlSession> joining, String node, @Nullable Throwable cause) {
        if (cause != null) {
            joining.completeExceptionally(new FabricException(
                    "cannot connect to " + node + ": " + reason(cause)
                            + "; check that it runs and that host and port are right",
                    cause));
        }
    }

    private void giveUp(
            CompletableFuture<ControlSession> joining,
            SessionConnection connection,
            String node,
            long patience,
            String because) {
        if (!joining.isDone()) {
            FabricException late = new FabricException("joining " + node + " took longer than "
                    + TimeUnit.NANOSECONDS.toMillis(patience) + " ms" + because);
            connection.close(late);
            joining.completeExceptionally(late);
        }
    }

    private static String reason(Throwable cause) {
        return cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }

    private CompletableFuture<InetAddress> addressOf(String host, long round) {
        return hosts.findAll(host).thenApply(found -> found.get((int) (round % found.size())));
    }

    /**
     * Connects again for a session whose connection has broken, on its event loop: first to the address of the last connection, then to each
     * other candidate in turn, which knows whether the session's memory node still lives.
     *
     * @param attempt number of the attempt, from 1
     * @param notConnected takes the failure on that event loop
     */
    void reconnect(
            TcpSession session,
            EventLoop loop,
            SessionConnection connection,
            int attempt,
            Consumer<FabricException> notConnected) {
        List<MemoryNodeAddress> candidates = session.address().candidates();
        MemoryNodeAddress candidate = candidates.get((attempt - 1) % candidates.size());
        int round = (attempt - 1) / candidates.size();
        boolean toLast =
                candidate == candidates.get(0) && (round % 2 == 0 || HostAddresses.written(candidate.host()) != null);
        CompletableFuture<InetAddress> host = toLast
                ? CompletableFuture.completedFuture(session.socketAddress().getAddress())
                : addressOf(candidate.host(), round / 2);
        host.whenComplete((found, failure) -> {
            boolean open = found != null
                    && whileOpen(() -> connectAgain(session, loop, connection, candidate, found, notConnected));
            if (!open) {
                FabricException why =
                        found == null ? new FabricException("cannot connect: " + failure, failure) : closedFabric();
                execute(loop, () -> notConnected.accept(why));
            }
        });
    }

    private void connectAgain(
            TcpSession session,
            EventLoop loop,
            SessionConnection connection,
            MemoryNodeAddress candidate,
            InetAddress host,
            Consumer<FabricException> notConnected) {
        long millis = connectTimeouts.millis(candidate, session.leaseNanos());
        InetSocketAddress to = new InetSocketAddress(host, candidate.port());
        connect(loop, candidate.host(), to, true, millis, connection).addListener(done -> {
            if (!done.isSuccess()) {
                notConnected.accept(new FabricException("cannot connect: " + done.cause(), done.cause()));
            }
        });
    }

    /** Connects to a peer; the handler takes over the channel. Returns null if this fabric is closed. */
    @Nullable
    ChannelFuture connectPeer(InetSocketAddress address, ChannelHandler handler) {
        AtomicReference<@Nullable ChannelFuture> connecting = new AtomicReference<>();
        // The ticket proves the other side's identity, so the host is not verified: the certificate need not name the
        // peer's present
        // address.
        whileOpen(() -> connecting.set(connect(
                loops.group(),
                address.getHostString(),
                address,
                false,
                settings.connectTimeout().toMillis(),
                handler)));
        return connecting.get();
    }

    private ChannelFuture connect(
            EventLoopGroup group,
            String host,
            InetSocketAddress address,
            boolean verifyHost,
            long timeoutMillis,
            ChannelHandler handler) {
        ChannelInitializer<Channel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                Tls.addClient(channel.pipeline(), settings.clientTls(), verifyHost, host, address.getPort());
                channel.pipeline().addLast(handler);
            }
        };
        return loops.client(group, initializer)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeoutMillis)
                .connect(address);
    }

    @Override
    public String peerAddress() {
        AdvertisedAddress known = advertisedAddress;
        return known == null ? "" : withPath(known.last());
    }

    /**
     * Finds the address to advertise to the members of a memory node; empty for none.
     *
     * @return never fails; completes as late as the name service answers
     */
    CompletableFuture<String> peerAddressFor(InetAddress local) {
        AdvertisedAddress known = advertisedAddress;
        return known == null
                ? CompletableFuture.completedFuture("")
                : known.find(local).thenApply(this::withPath);
    }

    private String withPath(String address) {
        return address.isEmpty() ? "" : address + advertised;
    }

    /**
     * Adds a path to the peer address of sessions that join from now on: it tells peers how to reach this process by another transport.
     *
     * @param path begins with a slash, or is empty
     */
    public void advertise(String path) {
        advertised = path;
    }

    void joined(TcpSession session) {
        sessions.put(keyOf(session), session);
    }

    void gone(TcpSession session) {
        sessions.remove(keyOf(session));
    }

    private static MemberKey keyOf(TcpSession session) {
        return new MemberKey(
                session.joined().memoryNodeIncarnation(),
                session.joined().nodeId(),
                session.joined().incarnation());
    }

    /** Returns this process's session as that member, or null. */
    @Nullable
    TcpSession sessionOf(MemberKey member) {
        return sessions.get(member);
    }

    /** Runs a short task on a channel's event loop. Does nothing if this fabric is closed. */
    void execute(Channel channel, Runnable task) {
        execute(channel.eventLoop(), task);
    }

    private static void execute(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The event loop has ended.
        }
    }

    /** Runs a short task on an event loop. Does nothing if this fabric is closed. */
    void execute(Runnable task) {
        try {
            loops.group().next().execute(task);
        } catch (RejectedExecutionException e) {
            // The fabric is closed: the message is lost as if its receiver had ended.
        }
    }

    /** Runs a short task on an event loop, later. Does nothing if this fabric is closed by then. */
    private void later(long delayNanos, Runnable task) {
        try {
            loops.group().schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The fabric is closing.
        }
    }

    /** Returns the log for messages that other processes can cause. */
    ThrottledLog log() {
        return log;
    }

    boolean isClosed() {
        return closed;
    }

    TcpFabricSettings settings() {
        return settings;
    }

    FabricCounters counters() {
        return counters;
    }

    byte[] key() {
        return key;
    }

    /** Closes every session and listener, and waits at most 2 s for this. */
    @Override
    public Duration eventLoopLag() {
        return lag.longest();
    }

    @Override
    public void close() {
        lifecycle.lock();
        try {
            closed = true;
        } finally {
            lifecycle.unlock();
        }
        sessions.values().forEach(TcpSession::close);
        // A loop that stops closes its channels without a notification.
        joining.keySet().forEach(connection -> execute(() -> connection.close(closedFabric())));
        hosts.close();
        loops.close();
        loops.awaitClosed(CLOSE_SECONDS, TimeUnit.SECONDS);
        joining.values().forEach(result -> result.completeExceptionally(closedFabric()));
    }
}
