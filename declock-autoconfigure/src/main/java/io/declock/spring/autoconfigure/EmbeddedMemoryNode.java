// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.InvalidSettingException;
import io.declock.MemoryNodeAddress;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.Term;
import io.declock.internal.state.MemberFile;
import io.declock.internal.state.StateDirectoryException;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/**
 * The memory node that the applications on one machine share when none is configured. The application that binds the port hosts it, the
 * others join it. When the host ends, another application hosts it, as after the restart of a memory node. With port 0 the memory node
 * is for this application alone, and nothing listens. Thread-safe.
 *
 * <p>From its start to its stop it has one thread, which alone starts, watches and stops the server. A thread that starts or stops it waits
 * for that thread without a mutex.
 */
final class EmbeddedMemoryNode {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedMemoryNode.class);
    private static final String ID = "embedded";
    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration LEASE_MARGIN = Duration.ofMillis(500);
    private static final long WATCH_MILLIS = 100;
    private static final String PRODUCTION =
            "For production, run memory nodes and set declock.memory-nodes=tcp://host:7420.";

    private final int port;
    private final DecLockProperties.Embedded embedded;
    private final Duration lease;
    private final MemoryNodeServerSettings serverSettings;
    private final @Nullable String secret;
    private final @Nullable HostingMark mark;
    /** Where the list of members is kept; null if it is not. */
    private final @Nullable Path directory;

    private final ReentrantLock mutex = new ReentrantLock();
    private volatile BooleanSupplier joined = () -> true;

    /** From the beginning of a start to the end of the stop; null before and after. */
    @GuardedBy("mutex")
    private @Nullable Life life;

    /** Written by the thread of the present life. */
    private volatile @Nullable MemoryNode node;

    /** Belongs to the thread of the present life. */
    private @Nullable MemoryNodeServer server;

    /** The time from a start to a stop. */
    private static final class Life {
        private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "declock-embedded");
            made.setDaemon(true);
            return made;
        });
        private final CompletableFuture<?> begun;
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        /** Guarded by the mutex of the memory node. */
        private boolean ending;

        Life(Consumer<ScheduledThreadPoolExecutor> begin) {
            thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            begun = CompletableFuture.runAsync(() -> begin.accept(thread), thread);
        }

        /** Waits for a step; throws what the step threw. */
        private static void await(CompletableFuture<?> step) {
            try {
                step.join();
            } catch (CompletionException e) {
                if (e.getCause() instanceof RuntimeException failure) {
                    throw failure;
                }
                if (e.getCause() instanceof Error failure) {
                    throw failure;
                }
                throw e;
            }
        }
    }

    private EmbeddedMemoryNode(
            DecLockProperties.Embedded embedded,
            Duration lease,
            MemoryNodeServerSettings serverSettings,
            @Nullable String secret,
            @Nullable HostingMark mark,
            @Nullable Path directory) {
        this.directory = directory;
        this.secret = secret;
        this.port = embedded.port();
        this.embedded = embedded;
        this.lease = lease;
        this.serverSettings = serverSettings;
        this.mark = mark;
    }

    static EmbeddedMemoryNode of(DecLockProperties properties, DecLockConnectionDetails details) {
        DecLockProperties.Embedded embedded = properties.embedded();
        boolean alone = embedded.port() == 0;
        Duration lease = properties.lease();
        checkMemory(
                embedded,
                DecLockSettings.bound(
                        "declock.embedded.",
                        Map.of("maxLease", "declock.lease"),
                        () -> settings(embedded, lease, lease, true)));
        EmbeddedDirectory directory = alone ? new EmbeddedDirectory(null) : EmbeddedDirectory.of(embedded.directory());
        String configured = details.getSecret();
        String secret = alone || configured != null ? configured : directory.secret();
        MemoryNodeServerSettings serverSettings = DecLockSettings.bound(
                "declock.tcp.",
                Map.of("port", "declock.embedded.port", "secrets", "declock.secret", "secret", "declock.secret"),
                () -> MemoryNodeServerSettings.builder()
                        .host(LOOPBACK)
                        .port(embedded.port())
                        .secrets(secret == null ? List.of() : List.of(secret))
                        .tls(ReloadedTls.of(details, false))
                        .transport(properties.tcp().transport())
                        .eventLoopThreads(properties.tcp().eventLoopThreads())
                        .eventLoopPolling(properties.tcp().eventLoopPolling())
                        .build());
        HostingMark mark = alone ? null : new HostingMark(directory.path(), embedded.port(), lease);
        return new EmbeddedMemoryNode(embedded, lease, serverSettings, secret, mark, alone ? null : directory.path());
    }

    private static MemoryNodeSettings settings(
            DecLockProperties.Embedded embedded, Duration lease, Duration formerLease, boolean waitOutOldSessions) {
        boolean alone = embedded.port() == 0;
        int perSession = embedded.recordsPerSession();
        return MemoryNodeSettings.builder(ID)
                .records(embedded.records())
                .queueCapacity(embedded.queueCapacity())
                .recordsPerSession(alone && perSession == 0 ? embedded.records() : perSession)
                .maxLease(lease)
                .formerLease(formerLease)
                .leaseMargin(LEASE_MARGIN)
                .waitOutOldSessions(waitOutOldSessions)
                .build();
    }

    private static void checkMemory(DecLockProperties.Embedded embedded, MemoryNodeSettings settings) {
        long bytes = (long) settings.records() * new RecordLayout(settings.queueCapacity()).strideBytes();
        if (bytes > embedded.memoryLimit().toBytes()) {
            throw new InvalidSettingException(
                    "declock.embedded.records",
                    String.valueOf(settings.records()),
                    "with a queue capacity of " + settings.queueCapacity() + " they need "
                            + DataSize.ofBytes(bytes).toMegabytes() + " MB, and declock.embedded.memory-limit is "
                            + embedded.memoryLimit().toMegabytes() + " MB",
                    "Use fewer records, or raise the limit.");
        }
    }

    int port() {
        return port;
    }

    /** Returns the secret that the memory node requires, null for none. */
    @Nullable
    String secret() {
        return secret;
    }

    /** Returns a description for people. */
    String describe() {
        if (isPrivate()) {
            return "a memory node for this instance alone";
        }
        return (isElsewhere() ? "hosted by another instance on this machine" : "hosted by this instance")
                + "; instances on other machines do not share its locks";
    }

    /** Returns the address at which compute nodes reach it. */
    MemoryNodeAddress address() {
        return isPrivate()
                ? new MemoryNodeAddress(InProcessFabric.SCHEME, ID, 0)
                : new MemoryNodeAddress("tcp", LOOPBACK, port);
    }

    /** Returns a fabric to it if it is for this application alone, else nothing. */
    Optional<Fabric> privateFabric(FabricCounters counters) {
        return Optional.ofNullable(privateNode()).map(hosted -> InProcessFabric.open(hosted, counters));
    }

    /** Returns the memory node if it runs and is for this application alone, else null. */
    @Nullable
    MemoryNode privateNode() {
        return isPrivate() ? node : null;
    }

    private boolean isPrivate() {
        return port == 0;
    }

    /** Returns whether another process hosts it. */
    boolean isElsewhere() {
        return !isPrivate() && node == null;
    }

    /** Sets the check whether this application is joined; while it is not, it tries to host. */
    void watch(BooleanSupplier joined) {
        this.joined = joined;
    }

    /** Hosts the memory node, unless another process does. Idempotent. */
    void start() {
        while (true) {
            Life current;
            boolean ending;
            mutex.lock();
            try {
                current = life == null ? new Life(this::begin) : life;
                life = current;
                ending = current.ending;
            } finally {
                mutex.unlock();
            }
            if (!ending) {
                awaitBeginning(current);
                return;
            }
            Life.await(current.ended);
        }
    }

    private void awaitBeginning(Life current) {
        try {
            Life.await(current.begun);
        } catch (RuntimeException | Error e) {
            if (mayEnd(current)) {
                end(current);
            }
            throw e;
        }
    }

    private void begin(ScheduledThreadPoolExecutor executor) {
        if (isPrivate()) {
            node = create(executor, false, MemberList.NONE);
            LOG.info(
                    "No memory nodes are configured: using a private one inside of this application (declock.embedded.port=0).");
            return;
        }
        if (host(executor, false)) {
            LOG.warn(
                    "No memory nodes are configured: hosting one on {}:{}, which other instances on this machine will join. {}",
                    LOOPBACK,
                    port,
                    PRODUCTION);
        } else {
            LOG.warn(
                    "No memory nodes are configured, and another instance on this machine hosts one on {}:{}: joining it. {}",
                    LOOPBACK,
                    port,
                    PRODUCTION);
        }
        executor.scheduleWithFixedDelay(() -> watchOver(executor), WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Returns whether the calling thread is the one that ends this life. */
    private boolean mayEnd(Life current) {
        mutex.lock();
        try {
            boolean may = !current.ending;
            current.ending = true;
            return may;
        } finally {
            mutex.unlock();
        }
    }

    private void end(Life ending) {
        ending.thread.shutdown();
        mutex.lock();
        try {
            life = null;
        } finally {
            mutex.unlock();
        }
        ending.ended.complete(null);
    }

    private MemoryNode create(ScheduledThreadPoolExecutor executor, boolean waitOutOldSessions, MemberList members) {
        try {
            return make(executor, waitOutOldSessions, members);
        } catch (UncheckedIOException e) {
            members.close();
            LOG.warn("Locks will not outlive the instance that hosts the embedded memory node", e);
            return make(executor, waitOutOldSessions, MemberList.NONE);
        }
    }

    private MemoryNode make(ScheduledThreadPoolExecutor executor, boolean waitOutOldSessions, MemberList members) {
        return MemoryNode.create(
                settings(embedded, lease, mark == null ? lease : mark.formerLease(), waitOutOldSessions),
                System::nanoTime,
                (delayNanos, task) -> executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                null,
                members,
                Term.UNLIMITED);
    }

    /** Returns the list that the memory nodes on this port keep, one after the other; null while another one uses it. */
    private @Nullable MemberList members() {
        if (directory == null) {
            return MemberList.NONE;
        }
        try {
            return MemberFile.open(directory.resolve("embedded-" + port), ID);
        } catch (StateDirectoryException e) {
            if (e.isInUse()) {
                return null;
            }
            LOG.warn(
                    "Locks will not outlive the instance that hosts the embedded memory node: {}. {}",
                    e.getMessage(),
                    e.action());
            return MemberList.NONE;
        }
    }

    /** Returns whether this application hosts the memory node now. */
    private boolean host(ScheduledThreadPoolExecutor executor, boolean takeOver) {
        if (!isPortFree()) {
            return false;
        }
        boolean wait = takeOver
                || (mark != null && mark.isYoungerThan(mark.formerLease().plus(LEASE_MARGIN)));
        MemberList members = members();
        if (members == null) {
            // The one that hosted is about to end.
            return false;
        }
        MemoryNode created = create(executor, wait, members);
        try {
            server = MemoryNodeServer.start(created, serverSettings);
        } catch (IOException e) {
            LOG.debug("Another process listened on port {} first", port, e);
            created.close();
            return false;
        }
        node = created;
        touch();
        return true;
    }

    /** Checks the port without starting a server, which would cost more. */
    private boolean isPortFree() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void watchOver(ScheduledThreadPoolExecutor executor) {
        try {
            hostIfNobodyDoes(executor);
        } catch (RuntimeException e) {
            LOG.warn("Checking the embedded memory node on port {} failed; trying again", port, e);
        }
    }

    private void hostIfNobodyDoes(ScheduledThreadPoolExecutor executor) {
        if (node != null) {
            touch();
        } else if (!joined.getAsBoolean() && host(executor, true)) {
            LOG.info(
                    "The instance that hosted the memory node on {}:{} has ended: hosting it here. Locks that are held stay held.",
                    LOOPBACK,
                    port);
        }
    }

    private void touch() {
        if (mark != null) {
            mark.touch();
        }
    }

    /** Stops hosting. Idempotent. */
    void stop() {
        Life current;
        mutex.lock();
        try {
            current = life;
        } finally {
            mutex.unlock();
        }
        if (current == null) {
            return;
        }
        if (!mayEnd(current)) {
            Life.await(current.ended);
            return;
        }
        try {
            // Its thread does this after the start, if that is still under way.
            Life.await(CompletableFuture.runAsync(this::close, current.thread)
                    // On that thread, so that no watch begins to host again.
                    .whenComplete((done, failure) -> current.thread.shutdown()));
        } finally {
            end(current);
        }
    }

    private void close() {
        MemoryNode hosted = node;
        boolean unused = hosted != null && hosted.status().sessions().isEmpty();
        if (server != null) {
            server.close();
        }
        if (hosted != null) {
            hosted.close();
        }
        if (unused && mark != null) {
            mark.clear();
        }
        server = null;
        node = null;
    }
}
