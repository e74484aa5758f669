// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricRig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A memory node on the loopback interface, in real time, and fabrics over TCP to it. */
final class LoopbackRig implements FabricRig {
    private static final String HOST = "127.0.0.1";

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<Fabric> fabrics = new CopyOnWriteArrayList<>();
    private final MemoryNode node;
    private final MemoryNodeServer server;

    LoopbackRig() {
        node = MemoryNode.create(
                settings(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        try {
            server = MemoryNodeServer.start(
                    node, MemoryNodeServerSettings.builder().host(HOST).port(0).build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static MemoryNodeSettings settings() {
        return MemoryNodeSettings.builder("mn-1")
                .records(64)
                .queueCapacity(8)
                .waitOutOldSessions(false)
                .build();
    }

    @Override
    public MemoryNode node() {
        return node;
    }

    @Override
    public MemoryNodeAddress address() {
        return new MemoryNodeAddress(TcpFabric.SCHEME, HOST, server.port());
    }

    @Override
    public Fabric openFabric(NodeCounters counters) {
        Fabric fabric = TcpFabric.open(TcpFabricSettings.builder().build(), counters);
        fabrics.add(fabric);
        return fabric;
    }

    @Override
    public void close() {
        fabrics.forEach(Fabric::close);
        node.close();
        server.close();
        timer.shutdownNow();
    }
}
