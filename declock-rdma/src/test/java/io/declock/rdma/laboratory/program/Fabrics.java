// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.DirectAccess;
import io.declock.internal.memorynode.DirectAccessProvider;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeServer;
import io.declock.internal.memorynode.MemoryNodeServerSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.DirectFabricProvider;
import io.declock.internal.tcp.TcpFabric;
import io.declock.spi.AdapterException;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
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
        DirectAccessProvider provider = address.scheme().equals(RDMA) ? found(DirectAccessProvider.class) : null;
        RegionMemory memory = provider == null ? null : provider.memory();
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.withId("laboratory").withSize(10_000, 16).withWaitOutOldSessions(waitOutOldSessions),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        DirectAccess access = provider == null ? null : provider.start(node, memory, Map.of("address", address.host()));
        MemoryNodeServer server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.DEFAULTS
                        .withAddress(address.host(), address.port())
                        .withLimits(SLOW, SLOW, 64, 256 * 1024),
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

    private static <T> T found(Class<T> provider) {
        return ServiceLoader.load(provider).findFirst().orElseThrow();
    }

    static TcpFabric tcp(NodeCounters counters) {
        return TcpFabric.open(TcpFabricSettings.DEFAULTS.withTimeouts(SLOW, SLOW), counters);
    }

    static Fabric rdma(Map<String, String> options, TcpFabric tcp, NodeCounters counters) throws AdapterException {
        return found(DirectFabricProvider.class).open(options, tcp, counters);
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
        ComputeNodeSettings defaults = ComputeNodeSettings.DEFAULTS;
        return new ComputeNodeSettings(
                defaults.namespace(),
                name,
                defaults.defaultWaitTime(),
                Duration.ofSeconds(9),
                Duration.ofMillis(1000),
                Duration.ofMillis(500),
                defaults.failFast(),
                defaults.clockSyncInterval(),
                defaults.maxIdleLocks(),
                0,
                defaults.local(),
                defaults.cql());
    }
}
