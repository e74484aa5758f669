// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.MemoryNodeAddress;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.rdma.verbs.VerbsBackend;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fabric to memory nodes by RDMA, addressed as {@code rdma://host:port} with their TCP address: the memory node's adapter executes
 * verbs, everything else goes over TCP. Memory nodes at {@code tcp://} are served too, entirely over TCP. Thread-safe.
 */
public final class RdmaFabric implements Fabric {
    /** Scheme of the addresses it serves. */
    public static final String SCHEME = RdmaFabricProvider.SCHEME;

    private static final Logger LOG = LoggerFactory.getLogger(RdmaFabric.class);

    private final TcpFabric control;
    private final FabricCounters counters;
    private final boolean fallsBack;
    /** Null if this process cannot use RDMA and falling back to TCP is allowed. */
    private final @Nullable ConnectionManager manager;

    private final @Nullable PeerConnections peers;
    private final Set<RdmaSession> sessions = ConcurrentHashMap.newKeySet();
    private final Map<String, Boolean> warned = new ConcurrentHashMap<>();

    private RdmaFabric(
            TcpFabric control,
            FabricCounters counters,
            boolean fallsBack,
            @Nullable ConnectionManager manager,
            @Nullable PeerConnections peers) {
        this.control = control;
        this.counters = counters;
        this.fallsBack = fallsBack;
        this.manager = manager;
        this.peers = peers;
    }

    /**
     * Starts a fabric.
     *
     * @param control carries everything except verbs; closed with this fabric
     * @param fallsBack whether verbs go over TCP to memory nodes that cannot be reached by RDMA
     * @throws IOException if there is no RDMA device to use
     */
    public static RdmaFabric open(
            VerbsBackend backend,
            ConnectionSettings settings,
            PeerSettings peerSettings,
            boolean fallsBack,
            TcpFabric control,
            FabricCounters counters)
            throws IOException {
        ConnectionManager manager = new ConnectionManager(backend, settings, new RdmaCounters());
        PeerConnections peers = PeerConnections.start(manager, peerSettings, backend);
        control.advertise(peers.advertisement());
        return new RdmaFabric(control, counters, fallsBack, manager, peers);
    }

    /** Makes a fabric that uses memory nodes at {@code rdma://} over TCP, and logs a warning. */
    static RdmaFabric overTcp(TcpFabric control, FabricCounters counters, AdapterException cause) {
        LOG.warn("Memory nodes at rdma:// are used over TCP. {} What to do: {}", cause.getMessage(), cause.action());
        return new RdmaFabric(control, counters, true, null, null);
    }

    @Override
    public boolean supports(MemoryNodeAddress address) {
        return address.scheme().equals(SCHEME) || control.supports(address);
    }

    @Override
    public CompletionStage<FabricSession> join(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        MemoryNodeAddress tcp = overTcp(address);
        ConnectionManager connections = manager;
        PeerConnections messages = peers;
        if (connections == null || messages == null || !address.scheme().equals(SCHEME)) {
            return control.join(tcp, request, listener);
        }
        CompletableFuture<FabricSession> joining = new CompletableFuture<>();
        RdmaSession session = new RdmaSession(this, connections, messages, address, listener, joining);
        control.joinControl(tcp, request, session).whenComplete((joined, failure) -> {
            if (failure != null) {
                joining.completeExceptionally(failure);
            } else {
                session.joined(joined);
            }
        });
        return joining;
    }

    /** Each candidate is reached over TCP at the same place: the session goes on at the next one. */
    private static MemoryNodeAddress overTcp(MemoryNodeAddress address) {
        return new MemoryNodeAddress(
                TcpFabric.SCHEME,
                address.host(),
                address.port(),
                address.others().stream().map(RdmaFabric::overTcp).toList());
    }

    /** Returns whether verbs to a memory node may go over TCP, and logs that once. */
    boolean fallsBack(MemoryNodeAddress address, FabricException cause) {
        if (fallsBack && warned.put(address.toString(), true) == null) {
            LOG.warn(
                    "Memory node {} is used over TCP because RDMA to it does not work: {}",
                    address,
                    cause.getMessage());
        }
        return fallsBack;
    }

    FabricCounters counters() {
        return counters;
    }

    @Override
    public String peerAddress() {
        return control.peerAddress();
    }

    @Override
    public Map<String, Object> details() {
        ConnectionManager connections = manager;
        if (connections == null) {
            return Map.of("provider", "none: TCP is used");
        }
        Map<String, Object> details = connections.details();
        sessions.forEach(session -> details.put("queuePair." + session.address(), session.queuePairState()));
        return details;
    }

    @Override
    public Duration eventLoopLag() {
        return control.eventLoopLag();
    }

    void joined(RdmaSession session) {
        sessions.add(session);
    }

    void gone(RdmaSession session) {
        sessions.remove(session);
    }

    /** Closes every session and listener, and waits a moment for their end. */
    @Override
    public void close() {
        ConnectionManager connections = manager;
        if (connections != null) {
            connections.close();
        }
        control.close();
    }
}
