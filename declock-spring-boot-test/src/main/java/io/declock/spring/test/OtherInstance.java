// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import io.declock.ComputeNodeSettings;
import io.declock.DistributedReadWriteLock;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.spring.autoconfigure.FabricFactory;
import io.declock.spring.autoconfigure.test.ApplicationNode;
import java.time.Duration;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * A second compute node, joined to the application's memory nodes: what the application sees of another instance of it. Made when a test
 * first needs it, and stopped before the application leaves its memory nodes. Thread-safe.
 */
final class OtherInstance implements SmartLifecycle {
    private static final Duration WAIT_TIME = Duration.ofSeconds(10);

    private final ComputeNode node;
    private volatile boolean running = true;

    /**
     * Starts it.
     *
     * @param factories the application's fabrics, for memory nodes that are not private
     */
    OtherInstance(ApplicationNode application, List<FabricFactory> factories) {
        ComputeNode first = application.running();
        ComputeNodeSettings settings = first.settings();
        NodeCounters counters = new NodeCounters();
        ComputeNode.Builder builder = ComputeNode.builder()
                .counters(counters)
                .settings(ComputeNodeSettings.builder()
                        .namespace(settings.namespace())
                        .name("another instance")
                        .lease(settings.lease())
                        .defaultWaitTime(WAIT_TIME)
                        .build());
        MemoryNode memoryNode = application.privateMemoryNode();
        if (memoryNode != null) {
            InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
            builder.memoryNodes(List.of(fabric.address())).fabric(fabric);
        } else {
            builder.memoryNodes(first.monitor().memoryNodes().stream()
                    .map(MemoryNodeView::address)
                    .map(MemoryNodeAddress::parse)
                    .toList());
            factories.forEach(factory -> builder.fabric(factory.open(counters)));
        }
        node = builder.build();
        node.start();
    }

    DistributedReadWriteLock locks() {
        return node;
    }

    @Override
    public void start() {}

    @Override
    public void stop() {
        running = false;
        node.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isAutoStartup() {
        return false;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }
}
