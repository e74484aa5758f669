// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.declock.GrantKind;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.LockObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsyncWaitTimeTest {
    @Test
    void theWaitIsMeasuredAlsoIfTheCallbackRunsBeforeTheCallReturns() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        AtomicLong waited = new AtomicLong(Long.MIN_VALUE);
        NodeCounters counters = new NodeCounters();
        try (MemoryNode memoryNode = MemoryNode.create(
                        MemoryNodeSettings.builder("mn")
                                .records(100)
                                .queueCapacity(8)
                                .waitOutOldSessions(false)
                                .build(),
                        System::nanoTime,
                        (delay, task) -> timer.schedule(task, delay, NANOSECONDS),
                        () -> ThreadLocalRandom.current().nextLong());
                InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
                ComputeNode node = ComputeNode.builder()
                        .memoryNodes(List.of(fabric.address()))
                        .fabric(fabric)
                        .counters(counters)
                        .withoutThreads(Runnable::run, new Signal())
                        .observer(new LockObserver() {
                            @Override
                            public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
                                waited.set(waitNanos);
                            }
                        })
                        .build()) {
            node.start();
            assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();

            node.acquireAsync(LockRequest.write("x"), LockOwner.named("someone"))
                    .toCompletableFuture()
                    .join()
                    .close();

            assertThat(waited.get()).isBetween(0L, Duration.ofSeconds(60).toNanos());
        } finally {
            timer.shutdownNow();
        }
    }
}
