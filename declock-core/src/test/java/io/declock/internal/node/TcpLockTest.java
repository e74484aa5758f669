// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The lock over TCP: a real server and real sockets on the loopback interface. */
class TcpLockTest extends LockContract {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private MemoryNode memoryNode;
    private MemoryNodeServer server;

    @Override
    protected List<ComputeNode> startNodes(int count) throws Exception {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn-1")
                        .records(10_000)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(0).build());
        for (int i = 0; i < count; i++) {
            NodeCounters counters = new NodeCounters();
            ComputeNode node = ComputeNode.builder()
                    .memoryNodes(List.of(MemoryNodeAddress.parse("tcp://127.0.0.1:" + server.port())))
                    .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counters))
                    .counters(counters)
                    .build();
            node.start();
            if (!node.awaitReady(Duration.ofSeconds(10))) {
                throw new IllegalStateException("not ready: " + node.monitor().memoryNodes());
            }
            nodes.add(node);
        }
        return nodes;
    }

    @Override
    protected void stopMemoryNode() {
        server.close();
        memoryNode.close();
    }

    @Override
    protected void stopAll() {
        nodes.forEach(ComputeNode::close);
        server.close();
        memoryNode.close();
        timer.shutdownNow();
    }
}
