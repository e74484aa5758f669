// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.fabric.inprocess.InProcessFabric;
import io.declock.memorynode.MemoryNode;
import io.declock.memorynode.MemoryNodeSettings;
import io.declock.monitor.Counters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who spins, and who parks at once: a caller that spins is RUNNABLE, one that parks is WAITING. */
@Timeout(60)
class ThreadWaiterTest {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final Counters counters = new Counters();
    private MemoryNode memoryNode;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.withId("mn-1").withSize(100, 8).withWaitOutOldSessions(false),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
        node = ComputeNode.builder()
                .memoryNodes(List.of(fabric.address()))
                .fabric(fabric)
                .counters(counters)
                .settings(ComputeNodeSettings.DEFAULTS.withSpin(Duration.ofSeconds(30)))
                .build();
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(10))).isTrue();
    }

    @AfterEach
    void stop() {
        node.close();
        memoryNode.close();
        timer.shutdownNow();
    }

    @Test
    void onlyTheFirstInLineBehindAHolderSpins() throws Exception {
        Lock lock = node.lock("x").writeLock();
        lock.lock();
        Thread first = waiter(lock, 1);
        Thread second = waiter(lock, 2);
        awaitState(second, Thread.State.WAITING);
        assertThat(first.getState()).isEqualTo(Thread.State.RUNNABLE);
        long parkedBefore = counters.get(Counters.Event.PARK);
        lock.unlock();
        first.join();
        second.join();
        assertThat(counters.get(Counters.Event.PARK))
                .as("the first never parked")
                .isEqualTo(parkedBefore);
    }

    private Thread waiter(Lock lock, int position) {
        Thread thread = new Thread(() -> {
            lock.lock();
            lock.unlock();
        });
        thread.start();
        while (node.waitingNow() < position) {
            Thread.onSpinWait();
        }
        return thread;
    }

    private static void awaitState(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            Thread.onSpinWait();
        }
    }
}
