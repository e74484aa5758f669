// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.fabric.AdapterException;
import io.declock.fabric.Fabric;
import io.declock.fabric.MemoryNodeAddress;
import io.declock.fabric.tcp.TcpFabric;
import io.declock.fabric.tcp.TcpFabricSettings;
import io.declock.memorynode.DirectAccess;
import io.declock.memorynode.MemoryNode;
import io.declock.memorynode.MemoryNodeServer;
import io.declock.memorynode.MemoryNodeServerSettings;
import io.declock.memorynode.MemoryNodeSettings;
import io.declock.memorynode.RegionMemory;
import io.declock.monitor.Counters;
import io.declock.node.ComputeNode;
import io.declock.node.ComputeNodeSettings;
import io.declock.rdma.RdmaAccessProvider;
import io.declock.rdma.RdmaFabricProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Memory nodes and compute nodes by the scheme of their address. */
final class Fabrics {
    private Fabrics() {}

    /** A memory node that is being served. */
    interface Served extends AutoCloseable {
        @Override
        void close();
    }

    /** Starts a memory node that is served at {@code address}. */
    static Served serve(MemoryNodeAddress address, boolean waitOutOldSessions) throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().factory());
        RdmaAccessProvider rdma = address.scheme().equals("rdma") ? new RdmaAccessProvider() : null;
        RegionMemory memory = rdma == null ? null : rdma.memory();
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.withId("laboratory").withSize(10_000, 16).withWaitOutOldSessions(waitOutOldSessions),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        DirectAccess access = rdma == null ? null : rdma.start(node, memory, Map.of("address", address.host()));
        MemoryNodeServer server = MemoryNodeServer.start(
                node, MemoryNodeServerSettings.DEFAULTS.withAddress(address.host(), address.port()), access);
        return () -> {
            node.close();
            server.close();
            if (access != null) {
                access.close();
            }
            timer.shutdownNow();
        };
    }

    /** Makes a compute node of the memory node at {@code address}, not started. */
    static ComputeNode computeNode(MemoryNodeAddress address, ComputeNodeSettings settings) {
        Counters counters = new Counters();
        return ComputeNode.builder()
                .memoryNodes(List.of(address))
                .fabric(fabric(address, counters))
                .counters(counters)
                .settings(settings)
                .build();
    }

    private static Fabric fabric(MemoryNodeAddress address, Counters counters) {
        TcpFabric tcp = TcpFabric.open(TcpFabricSettings.DEFAULTS, counters);
        if (address.scheme().equals("tcp")) {
            return tcp;
        }
        try {
            return new RdmaFabricProvider().open(Map.of("address", System.getenv("LAB_ADDRESS")), tcp, counters);
        } catch (AdapterException e) {
            throw new IllegalStateException(e.getMessage() + " " + e.action(), e);
        }
    }

    /** Settings with room for emulated processors: pauses of hundreds of milliseconds are usual there. */
    static ComputeNodeSettings settings(String name) {
        ComputeNodeSettings defaults = ComputeNodeSettings.DEFAULTS;
        return new ComputeNodeSettings(
                defaults.namespace(),
                name,
                defaults.defaultWaitTime(),
                Duration.ofSeconds(5),
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
