// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.Fabric;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A memory node that serves RDMA, and compute nodes on it, in real time. */
public final class RdmaLocks {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private final RdmaRig.Opener opener;
    private final MemoryNode memoryNode;
    private final RdmaServer rdma;
    private final MemoryNodeServer server;

    /** Starts the memory node. */
    public RdmaLocks() throws IOException {
        this(RdmaRig::open);
    }

    /** Starts the memory node; compute nodes by RDMA get their fabrics from {@code opener}. */
    RdmaLocks(RdmaRig.Opener opener) throws IOException {
        this.opener = opener;
        RdmaMemory memory = new RdmaMemory();
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn-1")
                        .records(10_000)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        rdma = RdmaServer.start(memoryNode, memory, RdmaRig.backend(), RdmaRig.settings(), 0);
        server = MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder().host(RdmaRig.host()).port(0).build(),
                rdma);
    }

    /** Starts a compute node whose verbs go by that scheme. */
    public ComputeNode start(String scheme) throws Exception {
        NodeCounters counters = new NodeCounters();
        // The first handshake of an emulated JVM takes seconds.
        TcpFabricSettings patient = TcpFabricSettings.builder()
                .connectTimeout(Duration.ofSeconds(15))
                .requestTimeout(Duration.ofSeconds(10))
                .build();
        TcpFabric tcp = TcpFabric.open(patient, counters);
        Fabric fabric = scheme.equals("tcp") ? tcp : opener.open(tcp, counters);
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse(scheme + "://" + RdmaRig.host() + ":" + server.port())))
                .fabric(fabric)
                .counters(counters)
                .build();
        nodes.add(node);
        node.start();
        if (!node.awaitReady(Duration.ofSeconds(20))) {
            throw new IllegalStateException("not ready: " + node.monitor().memoryNodes());
        }
        return node;
    }

    /** Returns those that were started. */
    public List<ComputeNode> nodes() {
        return nodes;
    }

    /** Returns the memory node. */
    MemoryNode memoryNode() {
        return memoryNode;
    }

    /** Ends the memory node. */
    public void stopMemoryNode() {
        server.close();
        memoryNode.close();
        rdma.close();
    }

    /** Ends everything. */
    public void stopAll() {
        nodes.forEach(ComputeNode::close);
        stopMemoryNode();
        timer.shutdownNow();
    }
}
