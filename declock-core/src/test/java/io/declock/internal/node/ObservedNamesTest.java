// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObservedNamesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<String> events = new CopyOnWriteArrayList<>();

    @Test
    void theObserverIsToldTheNameOfTheLockInEachEvent() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
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
                        .observer(new Recording())
                        .build()) {
            node.start();
            assertThat(node.awaitReady(PATIENCE)).isTrue();

            node.acquire(LockRequest.write("a")).close();
            node.acquireAsync(LockRequest.read("b"), LockOwner.named("one"))
                    .toCompletableFuture()
                    .join()
                    .close();
            node.lock("c").writeLock().lock();
            LockRequest now = LockRequest.write("c").waitTime(Duration.ZERO);
            assertThat(node.acquireAsync(now, LockOwner.named("other")).toCompletableFuture())
                    .failsWithin(PATIENCE);
            node.lock("c").writeLock().unlock();
            node.acquire(LockRequest.write("d").leaseTime(Duration.ofMillis(10)));
            await().atMost(PATIENCE).until(() -> events.contains("lost d WRITE"));

            assertThat(events)
                    .containsSubsequence("granted a WRITE", "released a WRITE", "granted b READ", "released b READ")
                    .containsSubsequence("granted c WRITE", "not granted c WRITE TIMED_OUT", "released c WRITE")
                    .containsSubsequence("granted d WRITE", "lost d WRITE");
        } finally {
            timer.shutdownNow();
        }
    }

    private final class Recording implements LockObserver {
        @Override
        public void granted(String name, LockMode mode, GrantKind kind, long waitNanos) {
            events.add("granted " + name + " " + mode);
        }

        @Override
        public void released(String name, LockMode mode, long heldNanos) {
            events.add("released " + name + " " + mode);
        }

        @Override
        public void notGranted(String name, LockMode mode, Outcome outcome, long waitNanos) {
            events.add("not granted " + name + " " + mode + " " + outcome);
        }

        @Override
        public void lost(String name, LockMode mode) {
            events.add("lost " + name + " " + mode);
        }
    }
}
