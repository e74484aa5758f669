// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.ComputeNodeSettings;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A memory node in this JVM, with the timer that it needs. */
public final class LocalMemoryNode implements AutoCloseable {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final MemoryNode node;

    /** Starts one. */
    public LocalMemoryNode(MemoryNodeSettings settings) {
        this(settings, null);
    }

    /**
     * Starts one.
     *
     * @param memory memory that an adapter can access, or null
     */
    LocalMemoryNode(MemoryNodeSettings settings, @Nullable RegionMemory memory) {
        node = MemoryNode.create(
                settings,
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
    }

    /** Starts a small one, for microbenchmarks. */
    public static LocalMemoryNode small() {
        return small(1000);
    }

    /** Starts one with so many records, for microbenchmarks. */
    public static LocalMemoryNode small(int records) {
        return new LocalMemoryNode(MemoryNodeSettings.builder("micro")
                .records(records)
                .recordsPerSession(records)
                .queueCapacity(8)
                .waitOutOldSessions(false)
                .build());
    }

    /** Returns the memory node. */
    public MemoryNode node() {
        return node;
    }

    /**
     * Lets it serve over the loopback interface by one thread.
     *
     * @param polling how long the thread polls before it sleeps
     */
    public MemoryNodeServer serve(Duration polling) throws IOException {
        return MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder()
                        .host("127.0.0.1")
                        .port(0)
                        .eventLoopThreads(1)
                        .eventLoopPolling(polling)
                        .build());
    }

    /** Starts a compute node that reaches it without a network, and waits until it has joined. */
    public ComputeNode startComputeNode() throws InterruptedException {
        return startComputeNode(ComputeNodeSettings.DEFAULTS);
    }

    /** Starts a compute node with these settings that reaches it without a network, and waits until it has joined. */
    public ComputeNode startComputeNode(ComputeNodeSettings settings) throws InterruptedException {
        NodeCounters counters = new NodeCounters();
        InProcessFabric fabric = InProcessFabric.open(node, counters);
        ComputeNode locks = ComputeNode.builder()
                .memoryNodes(List.of(fabric.address()))
                .fabric(fabric)
                .settings(settings)
                .counters(counters)
                .build();
        locks.start();
        if (!locks.awaitReady(Duration.ofSeconds(10))) {
            locks.close();
            throw new IllegalStateException("not ready: " + locks.monitor().memoryNodes());
        }
        return locks;
    }

    @Override
    public void close() {
        node.close();
        timer.shutdownNow();
    }
}
