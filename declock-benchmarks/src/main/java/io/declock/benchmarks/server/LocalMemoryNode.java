// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A memory node in this JVM, with the timer that it needs. */
public final class LocalMemoryNode implements AutoCloseable {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final MemoryNode node;

    /** Starts one. */
    public LocalMemoryNode(MemoryNodeSettings settings) {
        node = MemoryNode.create(
                settings,
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
    }

    /** Starts a small one, for microbenchmarks. */
    public static LocalMemoryNode small() {
        return new LocalMemoryNode(MemoryNodeSettings.builder("micro")
                .records(1000)
                .queueCapacity(8)
                .waitOutOldSessions(false)
                .build());
    }

    /** Returns the memory node. */
    public MemoryNode node() {
        return node;
    }

    @Override
    public void close() {
        node.close();
        timer.shutdownNow();
    }
}
