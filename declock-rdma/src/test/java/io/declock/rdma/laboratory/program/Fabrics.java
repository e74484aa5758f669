// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.RdmaModule;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RdmaAccessProvider;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.RdmaFabricProvider;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Memory nodes and compute nodes by the scheme of their address. */
final class Fabrics {
    static final String RDMA = "rdma";

    /** First connections load hundreds of classes, on processors that are emulated by a host that may be busy. */
    private static final Duration SLOW = Duration.ofSeconds(20);

    private Fabrics() {}

    /** A memory node that is being served. */
    interface Served extends AutoCloseable {
        @Override
        void close();
    }

    /** Starts a memory node that is served at {@code address}: over TCP in any case, and by RDMA if its scheme says so. */
    static Served serve(MemoryNodeAddress address, boolean waitOutOldSessions) throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().factory());
        RdmaAccessProvider provider = address.scheme().equals(RDMA)
                ? RdmaModule.find(RdmaAccessProvider.class).orElseThrow()
                : null;
        RegionMemory memory = provider == null ? null : provider.memory();
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.builder("laboratory")
                        .records(10_000)
                        .queueCapacity(16)
                        .waitOutOldSessions(waitOutOldSessions)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        RdmaAccess access = provider == null ? null : provider.start(node, memory, Map.of("address", address.host()));
        MemoryNodeServer server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder()
                        .host(address.host())
                        .port(address.port())
                        .handshakeTimeout(SLOW)
                        .stallTimeout(SLOW)
                        .maxConnections(64)
                        .maxPendingBytes(256 * 1024)
                        .build(),
                access);
        return () -> {
            node.close();
            server.close();
            if (access != null) {
                access.close();
            }
            timer.shutdownNow();
        };
    }

    static TcpFabric tcp(NodeCounters counters) {
        return TcpFabric.open(
                TcpFabricSettings.builder()
                        .connectTimeout(SLOW)
                        .requestTimeout(SLOW)
                        .build(),
                counters);
    }

    static Fabric rdma(Map<String, String> options, TcpFabric tcp, NodeCounters counters) throws AdapterException {
        return RdmaModule.find(RdmaFabricProvider.class).orElseThrow().open(options, tcp, counters);
    }

    /** Makes a compute node of the memory node at {@code address}, not started. */
    static ComputeNode computeNode(MemoryNodeAddress address, ComputeNodeSettings settings, Map<String, String> options)
            throws AdapterException {
        NodeCounters counters = new NodeCounters();
        TcpFabric tcp = tcp(counters);
        Fabric fabric = address.scheme().equals(RDMA) ? rdma(options, tcp, counters) : tcp;
        return ComputeNode.builder()
                .memoryNodes(List.of(address))
                .fabric(fabric)
                .counters(counters)
                .settings(settings)
                .build();
    }

    /** Settings with room for emulated processors: pauses of seconds occur there while other processes start. */
    static ComputeNodeSettings settings(String name) {
        return ComputeNodeSettings.builder()
                .name(name)
                .lease(Duration.ofSeconds(9))
                .heartbeatInterval(Duration.ofMillis(1000))
                .leaseMargin(Duration.ofMillis(500))
                .spin(Duration.ZERO)
                .build();
    }
}
