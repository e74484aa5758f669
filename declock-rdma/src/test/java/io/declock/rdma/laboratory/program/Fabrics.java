// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import io.declock.fabric.Fabric;
import io.declock.fabric.MemoryNodeAddress;
import io.declock.fabric.tcp.TcpFabric;
import io.declock.fabric.tcp.TcpFabricSettings;
import io.declock.memorynode.MemoryNode;
import io.declock.memorynode.MemoryNodeServer;
import io.declock.memorynode.MemoryNodeServerSettings;
import io.declock.memorynode.MemoryNodeSettings;
import io.declock.monitor.Counters;
import io.declock.node.ComputeNode;
import io.declock.node.ComputeNodeSettings;
import java.time.Duration;
import java.util.List;
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
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.withId("laboratory").withSize(10_000, 16).withWaitOutOldSessions(waitOutOldSessions),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        MemoryNodeServer server = MemoryNodeServer.start(
                node, MemoryNodeServerSettings.DEFAULTS.withAddress(address.host(), address.port()));
        return () -> {
            server.close();
            node.close();
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
        if (address.scheme().equals("tcp")) {
            return TcpFabric.open(TcpFabricSettings.DEFAULTS, counters);
        }
        throw new IllegalArgumentException("no fabric for " + address);
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
