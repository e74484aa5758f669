// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.local.LocalLock;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A memory node and one compute node in this process, for tests of a compute node without others. */
final class OneNode implements AutoCloseable {
    private final ScheduledExecutorService memoryNodeTimer = Executors.newSingleThreadScheduledExecutor();
    private final NodeCounters counters = new NodeCounters();
    private final MemoryNode memoryNode;
    private final ComputeNode node;

    private OneNode(int records, ComputeNodeSettings settings, Consumer<ComputeNode.Builder> more)
            throws InterruptedException {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(records)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> memoryNodeTimer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
        ComputeNode.Builder builder = ComputeNode.builder()
                .memoryNodes(List.of(fabric.address()))
                .fabric(fabric)
                .counters(counters)
                .settings(settings);
        more.accept(builder);
        node = builder.build();
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
    }

    /** Starts both, and waits until the compute node has joined. */
    static OneNode start(int records, ComputeNodeSettings settings) throws InterruptedException {
        return start(records, settings, builder -> {});
    }

    /** The same, after something more was done to the compute node's builder. */
    static OneNode start(int records, ComputeNodeSettings settings, Consumer<ComputeNode.Builder> more)
            throws InterruptedException {
        return new OneNode(records, settings, more);
    }

    ComputeNode node() {
        return node;
    }

    /** Returns the lock of that name, or null if the node does not know it. */
    @Nullable
    LocalLock lock(String name) {
        for (LocalLock lock : node.locks()) {
            if (lock.name().equals(name)) {
                return lock;
            }
        }
        return null;
    }

    NodeCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        node.close();
        memoryNode.close();
        memoryNodeTimer.shutdownNow();
    }
}
