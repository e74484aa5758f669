// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The lock over the in-process fabric. */
class InProcessLockTest extends LockContract {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private MemoryNode memoryNode;

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
        for (int i = 0; i < count; i++) {
            NodeCounters counters = new NodeCounters();
            InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
            ComputeNode node = ComputeNode.builder()
                    .memoryNodes(List.of(fabric.address()))
                    .fabric(fabric)
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
        memoryNode.close();
    }

    @Override
    protected void stopAll() {
        nodes.forEach(ComputeNode::close);
        memoryNode.close();
        timer.shutdownNow();
    }
}
