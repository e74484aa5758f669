// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import io.declock.ComputeNodeSettings;
import io.declock.DecLock;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A memory node that serves TCP on the loopback interface, for tests of modules that use the lock as applications do. */
public final class LoopbackMemoryNode implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final MemoryNode node;
    private final MemoryNodeServer server;

    /** Starts one. */
    public LoopbackMemoryNode() throws IOException {
        node = MemoryNode.create(
                MemoryNodeSettings.builder("loopback")
                        .records(10_000)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(0).build());
    }

    /** Returns its port. */
    public int port() {
        return server.port();
    }

    /** Opens a compute node that has joined it. */
    public DecLock open(ComputeNodeSettings settings) throws InterruptedException {
        return open(port(), settings);
    }

    /** Opens a compute node that has joined what listens at a port. */
    public static DecLock open(int port, ComputeNodeSettings settings) throws InterruptedException {
        DecLock opened = DecLock.builder()
                .memoryNodes("tcp://127.0.0.1:" + port)
                .settings(settings)
                .open();
        if (!opened.awaitReady(PATIENCE)) {
            opened.close();
            throw new IllegalStateException("not joined within " + PATIENCE);
        }
        return opened;
    }

    @Override
    public void close() {
        server.close();
        node.close();
        timer.shutdownNow();
    }
}
