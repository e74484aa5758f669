// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import io.declock.MemoryNodeAddress;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeServer;
import io.declock.internal.memorynode.MemoryNodeServerSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/**
 * The memory node that the applications on one machine share when none is configured. The application that binds the port hosts it, the
 * others join it. When the host ends, another application hosts it, as after the restart of a memory node. With port 0 the memory node
 * is for this application alone, and nothing listens. Thread-safe.
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
    private final MemoryNodeSettings settings;
    private final MemoryNodeServerSettings serverSettings;
    private final @Nullable String secret;
    private final @Nullable HostingMark mark;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile BooleanSupplier joined = () -> true;
    private @Nullable ScheduledThreadPoolExecutor timer;
    private volatile @Nullable MemoryNode node;
    private @Nullable MemoryNodeServer server;

    private EmbeddedMemoryNode(
            int port,
            MemoryNodeSettings settings,
            MemoryNodeServerSettings serverSettings,
            @Nullable String secret,
            @Nullable HostingMark mark) {
        this.secret = secret;
        this.port = port;
        this.settings = settings;
        this.serverSettings = serverSettings;
        this.mark = mark;
    }

    static EmbeddedMemoryNode of(DecLockProperties properties, DecLockConnectionDetails details) {
        DecLockProperties.Embedded embedded = properties.embedded();
        long bytes = (long) embedded.records() * new RecordLayout(embedded.queueCapacity()).strideBytes();
        if (bytes > embedded.memoryLimit().toBytes()) {
            throw new InvalidDecLockPropertyException(
                    "declock.embedded.records",
                    String.valueOf(embedded.records()),
                    "with a queue capacity of " + embedded.queueCapacity() + " they need "
                            + DataSize.ofBytes(bytes).toMegabytes() + " MB, and declock.embedded.memory-limit is "
                            + embedded.memoryLimit().toMegabytes() + " MB",
                    "Use fewer records, or raise the limit.",
                    null);
        }
        boolean alone = embedded.port() == 0;
        MemoryNodeSettings settings = MemoryNodeSettings.withId(ID)
                .withSize(embedded.records(), embedded.queueCapacity())
                .withRecordsPerSession(
                        alone && embedded.recordsPerSession() == 0 ? embedded.records() : embedded.recordsPerSession())
                .withLeases(properties.lease(), properties.lease(), LEASE_MARGIN);
        EmbeddedDirectory directory = alone ? new EmbeddedDirectory(null) : EmbeddedDirectory.of(embedded.directory());
        String configured = TcpFabricFactory.checkedSecret(details);
        String secret = alone || configured != null ? configured : directory.secret();
        MemoryNodeServerSettings serverSettings = MemoryNodeServerSettings.DEFAULTS
                .withAddress(LOOPBACK, embedded.port())
                .withSecret(secret)
                .withEventLoops(
                        properties.tcp().eventLoopThreads(),
                        properties.tcp().eventLoopPolling().toNanos());
        serverSettings = serverSettings.withTls(ReloadedTls.of(details, false));
        HostingMark mark = alone ? null : new HostingMark(directory.path(), embedded.port(), properties.lease());
        return new EmbeddedMemoryNode(embedded.port(), settings, serverSettings, secret, mark);
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
        MemoryNode hosted = node;
        return isPrivate() && hosted != null ? Optional.of(InProcessFabric.open(hosted, counters)) : Optional.empty();
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
        mutex.lock();
        try {
            if (timer != null) {
                return;
            }
            ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, "declock-embedded");
                thread.setDaemon(true);
                return thread;
            });
            started.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            timer = started;
            if (isPrivate()) {
                node = create(started, false);
                LOG.info(
                        "No memory nodes are configured: using a private one inside of this application (declock.embedded.port=0).");
                return;
            }
            if (host(started, false)) {
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
            started.scheduleWithFixedDelay(() -> watchOver(started), WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
        } finally {
            mutex.unlock();
        }
    }

    private MemoryNode create(ScheduledThreadPoolExecutor executor, boolean waitOutOldSessions) {
        Duration former = mark == null ? settings.maxLease() : mark.formerLease();
        return MemoryNode.create(
                settings.withFormerLease(former).withWaitOutOldSessions(waitOutOldSessions),
                System::nanoTime,
                (delayNanos, task) -> executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
    }

    /** Returns whether this application hosts the memory node now. */
    private boolean host(ScheduledThreadPoolExecutor executor, boolean takeOver) {
        if (!isPortFree()) {
            return false;
        }
        boolean wait = takeOver
                || (mark != null && mark.isYoungerThan(mark.formerLease().plus(LEASE_MARGIN)));
        MemoryNode created = create(executor, wait);
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
        mutex.lock();
        try {
            if (executor.isShutdown()) {
                return;
            }
            if (node != null) {
                touch();
            } else if (!joined.getAsBoolean() && host(executor, true)) {
                LOG.info(
                        "The instance that hosted the memory node on {}:{} has ended: hosting it here. Locks can be acquired again when the"
                                + " leases that it granted have expired.",
                        LOOPBACK,
                        port);
            }
        } finally {
            mutex.unlock();
        }
    }

    private void touch() {
        if (mark != null) {
            mark.touch();
        }
    }

    /** Stops hosting. Idempotent. */
    void stop() {
        mutex.lock();
        try {
            if (timer == null) {
                return;
            }
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
            timer.shutdownNow();
            timer = null;
            server = null;
            node = null;
        } finally {
            mutex.unlock();
        }
    }
}
