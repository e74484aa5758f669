// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.fabric.inprocess.InProcessFabric;
import io.declock.local.LocalLock;
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

/** Which names are forgotten when there are more than the bound. */
@Timeout(60)
class LockTableTest {
    private static final int MAX_IDLE = 256;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private MemoryNode memoryNode;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.withId("mn-1").withSize(10_000, 8).withWaitOutOldSessions(false),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        Counters counters = new Counters();
        InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
        node = ComputeNode.builder()
                .memoryNodes(List.of(fabric.address()))
                .fabric(fabric)
                .counters(counters)
                .settings(ComputeNodeSettings.DEFAULTS.withMaxIdleLocks(MAX_IDLE))
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
    void aNameThatIsUsedAgainAndAgainIsKeptWhileNamesComeOnce() {
        use("hot");
        LocalLock hot = node.findLock("hot");
        for (int i = 0; i < 5_000; i++) {
            use("once-" + i);
            if (i % 8 == 0) {
                use("hot");
                assertThat(node.findLock("hot")).as("after %s names", i).isSameAs(hot);
            }
        }
        assertThat(node.monitor().tableSize()).isLessThanOrEqualTo(MAX_IDLE);
    }

    @Test
    void theTableIsBoundedAlsoWhileEveryNameIsUsedAgain() {
        for (int i = 0; i < 5_000; i++) {
            use("name-" + i);
            use("name-" + i);
            assertThat(node.monitor().tableSize()).isLessThanOrEqualTo(MAX_IDLE + MAX_IDLE / 16 + 1);
        }
    }

    private void use(String name) {
        Lock lock = node.lock(name).writeLock();
        lock.lock();
        lock.unlock();
    }
}
