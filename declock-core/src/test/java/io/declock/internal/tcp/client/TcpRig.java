// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.time.RandomSource;
import io.declock.spi.Fabric;
import io.declock.spi.FabricRig;
import io.declock.spi.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A memory node with a real server on the loopback interface, and fabrics to it. */
final class TcpRig implements FabricRig {
    private final MemoryNode node;
    private final MemoryNodeServer server;
    private final TcpFabricSettings client;
    private final @Nullable ThreadAdapter adapter;
    private final List<Fabric> fabrics = new CopyOnWriteArrayList<>();

    TcpRig(
            MemoryNodeSettings settings,
            ManualTime time,
            MemoryNodeServerSettings.Builder server,
            TcpFabricSettings client) {
        this(settings, time, server, client, null);
    }

    TcpRig(
            MemoryNodeSettings settings,
            ManualTime time,
            MemoryNodeServerSettings.Builder server,
            TcpFabricSettings client,
            @Nullable ThreadAdapter adapter) {
        RandomSource random = () -> ThreadLocalRandom.current().nextLong();
        this.node = adapter == null
                ? MemoryNode.create(settings, time, time, random)
                : MemoryNode.create(settings, time, time, random, adapter);
        this.client = client;
        this.adapter = adapter;
        try {
            this.server = MemoryNodeServer.start(
                    node, server.host("127.0.0.1").port(0).build(), adapter);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public MemoryNode node() {
        return node;
    }

    MemoryNodeServer server() {
        return server;
    }

    @Override
    public MemoryNodeAddress address() {
        return new MemoryNodeAddress(TcpFabric.SCHEME, "127.0.0.1", server.port());
    }

    @Override
    public Fabric openFabric(NodeCounters counters) {
        return openFabric(client, counters);
    }

    Fabric openFabric(TcpFabricSettings settings, NodeCounters counters) {
        Fabric fabric = TcpFabric.open(settings, counters);
        fabrics.add(fabric);
        return fabric;
    }

    @Override
    public void close() {
        fabrics.forEach(Fabric::close);
        node.close();
        server.close();
        if (adapter != null) {
            adapter.close();
        }
    }
}
