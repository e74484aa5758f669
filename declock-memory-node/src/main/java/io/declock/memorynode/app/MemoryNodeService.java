// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import io.declock.internal.election.Standing;
import io.declock.internal.memorynode.MemberList;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.MemoryNodeStatus;
import io.declock.internal.memorynode.Operator;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.Term;
import io.declock.internal.state.MemberFile;
import io.declock.internal.state.StateDirectoryException;
import io.declock.internal.tcp.server.CandidateServer;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.memorynode.app.console.ConsoleSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The memory node and its TCP server, started before the management port opens and stopped after it closed. Thread-safe.
 *
 * <p>It is started once: a stopped memory node is not started again, because its memory and its sessions are gone.
 */
final class MemoryNodeService implements SmartLifecycle, CandidateServer.Lives {
    private static final Logger log = LoggerFactory.getLogger(MemoryNodeService.class);
    private static final int CLOSE_SECONDS = 2;

    private final MemoryNodeProperties properties;
    private final MemoryNodeServerSettings serverSettings;
    private final ScheduledThreadPoolExecutor timer;
    private final @Nullable MemoryNodeRdma rdma;
    private volatile @Nullable RdmaAccess rdmaAccess;
    private final MemoryNodeSettings nodeSettings;
    private final Sizing sizing;
    private final SecureRandom random = new SecureRandom();
    private final @Nullable MemoryNodeElection election;
    /** The present life, or the last one. */
    private volatile MemoryNode node;

    private volatile boolean running;
    private volatile @Nullable MemoryNodeServer server;

    MemoryNodeService(
            MemoryNodeProperties properties,
            Sizing sizing,
            MemoryNodeSettings nodeSettings,
            MemoryNodeServerSettings serverSettings) {
        this.properties = properties;
        this.serverSettings = serverSettings;
        this.rdma = MemoryNodeRdma.of(properties.rdma());
        if (rdma == null) {
            sizing.requireDirectMemory(sizing.bytes());
        }
        this.nodeSettings = nodeSettings;
        this.sizing = sizing;
        this.timer = new ScheduledThreadPoolExecutor(1, MemoryNodeService::timerThread);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        try {
            this.election = MemoryNodeElection.of(properties, nodeSettings.id(), serverSettings, this, this::schedule);
            this.node = election == null
                    ? create(Term.UNLIMITED, members(properties, nodeSettings.id()))
                    : noLifeYet(nodeSettings.id());
        } catch (MemoryNodeStartException e) {
            timer.shutdownNow();
            throw e;
        }
    }

    /** Returns what stands for the memory node before its first life: it has no memory and serves nobody. */
    private MemoryNode noLifeYet(String id) {
        MemoryNode none = MemoryNode.create(
                MemoryNodeSettings.builder(id).records(1).build(),
                System::nanoTime,
                this::schedule,
                random::nextLong,
                null,
                MemberList.NONE,
                () -> false);
        none.close();
        return none;
    }

    private MemoryNode create(Term term, MemberList members) {
        try {
            return MemoryNode.create(
                    nodeSettings,
                    System::nanoTime,
                    this::schedule,
                    random::nextLong,
                    rdma == null ? null : rdma.nextMemory(),
                    members,
                    term);
        } catch (UncheckedIOException e) {
            members.close();
            throw new MemoryNodeStartException(
                    e.getMessage() + ": " + rootMessage(e),
                    "Free space there, or set declock.memory-node.state-directory to another directory.",
                    e);
        } catch (OutOfMemoryError e) {
            members.close();
            throw new MemoryNodeStartException(
                    "There is not enough memory for " + Texts.bytes(sizing.bytes()) + " of lock records: "
                            + e.getMessage(),
                    "Lower declock.memory-node.memory or declock.memory-node.records, or give the JVM more memory with"
                            + " -XX:MaxDirectMemorySize.",
                    e);
        }
    }

    @Override
    public CandidateServer.Life begin(Term term, MemberList list) {
        MemoryNode begun = create(term, list);
        node = begun;
        RdmaAccess access = rdma == null ? null : rdma.start(begun);
        rdmaAccess = access;
        announce(port());
        return new CandidateServer.Life(begun, access);
    }

    @Override
    public void ended() {
        rdmaAccess = null;
    }

    private static MemberList members(MemoryNodeProperties properties, String id) {
        Path directory = properties.stateDirectory();
        if (directory == null) {
            return MemberList.NONE;
        }
        try {
            return MemberFile.open(directory, id);
        } catch (StateDirectoryException e) {
            throw new MemoryNodeStartException(e.getMessage() + ".", e.action(), e);
        }
    }

    private static Thread timerThread(Runnable task) {
        Thread thread = new Thread(task, "declock-memory-node-timer");
        thread.setDaemon(true);
        return thread;
    }

    private void schedule(long delayNanos, Runnable task) {
        if (!timer.isShutdown()) {
            timer.schedule(() -> guarded(task), delayNanos, TimeUnit.NANOSECONDS);
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("A timer task failed", e);
        }
    }

    @Override
    public void start() {
        MemoryNodeElection candidate = election;
        if (candidate == null) {
            RdmaAccess access = rdma == null ? null : rdma.start(node);
            rdmaAccess = access;
            MemoryNodeServer started = bind(access);
            server = started;
            announce(started.port());
        } else {
            standForElection(candidate);
        }
        running = true;
        writePortFile(port());
    }

    private void standForElection(MemoryNodeElection candidate) {
        try {
            candidate.start();
        } catch (UncheckedIOException e) {
            throw notBound(e);
        }
        log.info(
                "This candidate of memory node '{}' stands for election at {}, and listens on tcp://{}:{}",
                nodeSettings.id(),
                candidate.engine(),
                serverSettings.host(),
                candidate.port());
    }

    private MemoryNodeServer bind(@Nullable RdmaAccess access) {
        try {
            return MemoryNodeServer.start(node, serverSettings, access);
        } catch (IOException e) {
            if (access != null) {
                access.close();
            }
            throw notBound(e);
        }
    }

    private MemoryNodeStartException notBound(Exception e) {
        return new MemoryNodeStartException(
                "The memory node cannot listen on " + serverSettings.host() + ":" + serverSettings.port() + ": "
                        + rootMessage(e),
                "Stop the program that uses the port (another memory node?), or choose another one with"
                        + " declock.memory-node.port and declock.memory-node.bind-address.",
                e);
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    private void announce(int port) {
        MemoryNodeStatus status = node.status();
        log.info(
                "Memory node '{}' (incarnation {}) serves tcp://{}:{}: {} lock records with a queue capacity of {} in {}; TLS {},"
                        + " secret {}, leases up to {}",
                status.id(),
                Long.toHexString(status.incarnation()),
                serverSettings.host(),
                port,
                status.recordsTotal(),
                status.queueCapacity(),
                Texts.bytes(status.regionBytes()),
                hasTls() ? "on" : "off",
                properties.hasSecret() ? "set" : "none",
                properties.maxLease());
        RdmaAccess access = rdmaAccess;
        if (access != null) {
            log.info("RDMA serves its region too: {}", access.details());
        }
        if (!properties.hasSecret() && properties.ssl().clientAuth() != MemoryNodeProperties.ClientAuth.NEED) {
            log.warn(
                    "Every program that reaches port {} can take and break every lock: set declock.memory-node.secret, or require"
                            + " certificates with declock.memory-node.ssl.client-auth=need",
                    port);
        }
        if (properties.stateDirectory() == null && election == null) {
            log.info("Without declock.memory-node.state-directory a restart ends every hold");
        }
        if (!status.serving()) {
            log.info(
                    "Services may join once the leases that an earlier incarnation may have granted have expired, in {} ms",
                    waitLeft().toMillis());
        }
    }

    private void writePortFile(int port) {
        Path file = properties.portFile();
        if (file == null) {
            return;
        }
        try {
            Files.writeString(file, Integer.toString(port));
        } catch (IOException e) {
            throw new MemoryNodeStartException(
                    "The port cannot be written to " + file + ": " + e,
                    "Correct declock.memory-node.port-file, or remove it.",
                    e);
        }
    }

    @Override
    public void stop() {
        if (!running) {
            return;
        }
        running = false;
        int sessions = node.status().sessions().size();
        MemoryNodeServer serving = server;
        server = null;
        if (election != null) {
            election.stop();
        }
        if (serving != null) {
            node.close();
            serving.close();
            RdmaAccess access = rdmaAccess;
            if (access != null) {
                access.close();
            }
        }
        timer.shutdownNow();
        try {
            timer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.info("Memory node '{}' stopped; services still joined: {}", node.id(), sessions);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns where this candidate stands, or null if the memory node has no stand-by. */
    @Nullable
    Standing standing() {
        return election == null ? null : election.standing();
    }

    /** Returns the engine that elects, empty for none. */
    String engine() {
        return election == null ? "" : election.engine();
    }

    /** Starts before the web server, whose phase is higher. */
    @Override
    public int getPhase() {
        return 0;
    }

    /** Returns the access by RDMA, or null if RDMA is off. */
    @Nullable
    RdmaAccess rdmaAccess() {
        return rdmaAccess;
    }

    boolean hasTls() {
        return serverSettings.tls() != null;
    }

    MemoryNodeProperties properties() {
        return properties;
    }

    Operator operator() {
        return node.operator();
    }

    ConsoleSource console() {
        return new ConsoleSource() {
            @Override
            public MemoryNodeStatus status() {
                return MemoryNodeService.this.status();
            }

            @Override
            public Operator operator() {
                return MemoryNodeService.this.operator();
            }

            @Override
            public String role() {
                Standing standing = standing();
                return standing == null ? "serving" : Texts.role(standing.role());
            }
        };
    }

    MemoryNodeStatus status() {
        return node.status();
    }

    /** Returns the port it listens on, 0 while it does not. */
    int port() {
        if (election != null) {
            return running ? election.port() : 0;
        }
        MemoryNodeServer serving = server;
        return serving == null ? 0 : serving.port();
    }

    /** Returns how long it still waits for leases of an earlier incarnation or of a twin, zero if it does not wait. */
    Duration waitLeft() {
        return node.status().servesIn();
    }
}
