// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names that are used once, in a stream: their records come back in time, although some name is being looked up at every moment. */
@Tag("slow")
@Timeout(120)
class EverNewNamesTest {
    private static final int RECORDS = 4_000;
    private static final int THREADS = 4;
    private static final int NAMES_PER_THREAD = 1_500;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() {
        threads.shutdownNow();
        timer.shutdownNow();
    }

    @Test
    void recordsOfNamesThatAreUsedOnceComeBackInTime() throws Exception {
        try (MemoryNode memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(RECORDS)
                        .queueCapacity(8)
                        .recordsPerSession(RECORDS)
                        .reclaimInterval(Duration.ofMinutes(1))
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong())) {
            NodeCounters counters = new NodeCounters();
            InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
            try (ComputeNode node = ComputeNode.builder()
                    .memoryNodes(List.of(fabric.address()))
                    .fabric(fabric)
                    .counters(counters)
                    .build()) {
                node.start();
                assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
                LockHandle kept = node.acquire(LockRequest.write("kept"));
                List<Future<?>> done = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    String prefix = "t" + i + "-";
                    done.add(threads.submit(() -> useNames(node, prefix)));
                }
                for (Future<?> one : done) {
                    one.get();
                }
                assertThat(memoryNode.status().reclaimed()).isGreaterThan(THREADS * NAMES_PER_THREAD - RECORDS);
                assertThat(memoryNode.status().refusedNames()).isZero();
                assertThat(kept.isValid()).isTrue();
                kept.close();
            }
        }
    }

    private static Void useNames(ComputeNode node, String prefix) throws InterruptedException {
        for (int i = 0; i < NAMES_PER_THREAD; i++) {
            node.acquire(LockRequest.write(prefix + i)).close();
            // 500 names a second, and all records within eight.
            LockSupport.parkNanos(8_000_000);
        }
        return null;
    }
}
