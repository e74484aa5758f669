// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.ComputeNodeMonitor;
import io.declock.ComputeNodeSettings;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeRefusedException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names spread over several memory nodes, the bounded local table, and idle records that go back. */
@Timeout(60)
class SeveralMemoryNodesTest {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<MemoryNode> memoryNodes = new ArrayList<>();
    private final List<ComputeNode> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        for (String id : List.of("north", "south", "west")) {
            memoryNodes.add(MemoryNode.create(
                    MemoryNodeSettings.builder(id)
                            .records(5_000)
                            .queueCapacity(8)
                            .waitOutOldSessions(false)
                            .reclaimInterval(Duration.ofMillis(50))
                            .build(),
                    System::nanoTime,
                    (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                    () -> ThreadLocalRandom.current().nextLong()));
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(ComputeNode::close);
        memoryNodes.forEach(MemoryNode::close);
        timer.shutdownNow();
    }

    private ComputeNode node(List<MemoryNode> of, ComputeNodeSettings settings) {
        NodeCounters counters = new NodeCounters();
        ComputeNode.Builder builder = ComputeNode.builder().settings(settings).counters(counters);
        List<MemoryNodeAddress> addresses = new ArrayList<>();
        for (MemoryNode memoryNode : of) {
            InProcessFabric fabric = InProcessFabric.open(memoryNode, counters);
            builder.fabric(fabric);
            addresses.add(fabric.address());
        }
        ComputeNode node = builder.memoryNodes(addresses).build();
        nodes.add(node);
        node.start();
        return node;
    }

    private ComputeNode ready(List<MemoryNode> of, ComputeNodeSettings settings) throws InterruptedException {
        ComputeNode node = node(of, settings);
        assertThat(node.awaitReady(Duration.ofSeconds(10))).isTrue();
        return node;
    }

    @Test
    void aNameLivesOnOneNodeWhateverTheOrderOfTheList() throws Exception {
        ComputeNode a = ready(memoryNodes, ComputeNodeSettings.DEFAULTS);
        ComputeNode b = ready(
                List.of(memoryNodes.get(2), memoryNodes.get(0), memoryNodes.get(1)), ComputeNodeSettings.DEFAULTS);
        Map<String, Integer> perNode = new HashMap<>();
        for (int i = 0; i < 300; i++) {
            String name = "name-" + i;
            try (LockHandle held = a.acquire(LockRequest.write(name))) {
                assertThat(held.isValid()).isTrue();
                assertThat(b.tryAcquire(LockRequest.write(name).waitTime(Duration.ZERO)))
                        .as(name)
                        .isEmpty();
                perNode.merge(a.monitor().locks(10).get(0).memoryNode(), 1, Integer::sum);
            }
        }
        assertThat(perNode.keySet()).containsExactlyInAnyOrder("north", "south", "west");
        assertThat(perNode.values()).allMatch(count -> count > 50);
    }

    @Test
    void oneNodeDownLeavesTheOthersServing() throws Exception {
        ComputeNodeSettings failFast = failFast();
        ComputeNode a = ready(memoryNodes, failFast);
        Set<String> onNorth = new HashSet<>();
        Set<String> elsewhere = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            try (LockHandle held = a.acquire(LockRequest.write("n" + i))) {
                boolean north = a.monitor().locks(1).get(0).memoryNode().equals("north");
                (north ? onNorth : elsewhere).add("n" + i);
                assertThat(held.isValid()).isTrue();
            }
        }
        memoryNodes.get(0).close();
        await(() -> a.monitor().memoryNodes().get(0).state() == MemoryNodeView.State.DOWN);
        for (String name : elsewhere) {
            a.acquire(LockRequest.write(name)).close();
        }
        String lost = onNorth.iterator().next();
        assertThatThrownBy(() -> a.acquire(LockRequest.write(lost)))
                .isInstanceOf(MemoryNodeUnavailableException.class)
                .hasMessageContaining(lost)
                .hasMessageContaining("north");
    }

    @Test
    void theHomeOfANameIsOneObjectThatKnowsWhetherThereIsASession() throws Exception {
        ComputeNode a = ready(memoryNodes, ComputeNodeSettings.DEFAULTS);
        Set<MemoryNodeAddress> homes = new HashSet<>();
        for (int i = 0; i < 30; i++) {
            String name = "name-" + i;
            ComputeNodeMonitor.Home unused = a.monitor().homeOf(name);
            a.acquire(LockRequest.write(name)).close();
            ComputeNodeMonitor.Home used = a.monitor().homeOf(name);
            assertThat(used).isSameAs(unused);
            assertThat(used.view().address()).isEqualTo(used.address().toString());
            assertThat(used.downNanos()).isZero();
            homes.add(used.address());
        }
        assertThat(homes).hasSize(3);
        memoryNodes.get(0).close();
        await(() -> a.monitor().memoryNodes().get(0).state() == MemoryNodeView.State.DOWN);
        for (int i = 0; i < 30; i++) {
            ComputeNodeMonitor.Home home = a.monitor().homeOf("name-" + i);
            assertThat(home.downNanos() > 0)
                    .isEqualTo(home.address().host().equals("north"))
                    .isEqualTo(home.view().state() != MemoryNodeView.State.UP);
        }
    }

    @Test
    void anotherSetOfMemoryNodesIsRefused() throws Exception {
        ready(memoryNodes, ComputeNodeSettings.DEFAULTS);
        ComputeNode other = node(memoryNodes.subList(0, 2), ComputeNodeSettings.DEFAULTS);
        assertThatThrownBy(() -> {
                    await(() -> {
                        other.awaitReady(Duration.ofMillis(10));
                        return false;
                    });
                })
                .isInstanceOf(MemoryNodeRefusedException.class)
                .hasMessageContaining("memory nodes");
    }

    @Test
    void theLocalTableIsBoundedAndIdleRecordsGoBack() throws Exception {
        ComputeNodeSettings small = ComputeNodeSettings.builder()
                .name("small")
                .maxIdleLocks(500)
                .spin(Duration.ZERO)
                .build();
        ComputeNode a = ready(memoryNodes, small);
        ComputeNode b = ready(memoryNodes, ComputeNodeSettings.DEFAULTS);
        long keptToken;
        try (LockHandle kept = b.acquire(LockRequest.read("kept"))) {
            keptToken = kept.fencingToken();
            for (int i = 0; i < 12_000; i++) {
                a.acquire(LockRequest.write("once-" + i)).close();
            }
            assertThat(a.monitor().tableSize()).isLessThan(600);
            await(() -> memoryNodes.stream()
                            .mapToLong(node -> node.status().recordsInUse())
                            .sum()
                    < 100);
            assertThat(kept.isValid()).isTrue();
            assertThat(a.tryAcquire(LockRequest.write("kept").waitTime(Duration.ZERO)))
                    .isEmpty();
        }
        long first;
        try (LockHandle again = a.acquire(LockRequest.write("once-1"))) {
            first = again.fencingToken();
        }
        assertThat(first).isPositive();
        try (LockHandle writer = a.acquire(LockRequest.write("kept"))) {
            assertThat(writer.fencingToken()).isGreaterThan(keptToken);
        }
    }

    @Test
    void tokensOfANameGrowThoughItsRecordWentBack() throws Exception {
        ComputeNode a = ready(memoryNodes, ComputeNodeSettings.DEFAULTS);
        long last = 0;
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 3; i++) {
                try (LockHandle handle = a.acquire(LockRequest.write("recycled"))) {
                    assertThat(handle.fencingToken()).isGreaterThan(last);
                    last = handle.fencingToken();
                }
            }
            await(() -> memoryNodes.stream()
                            .mapToLong(node -> node.status().recordsInUse())
                            .sum()
                    == 0);
        }
    }

    private static ComputeNodeSettings failFast() {
        return ComputeNodeSettings.builder().failFast(true).build();
    }

    private interface Condition {
        boolean holds() throws InterruptedException;
    }

    private static void await(Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("waited 20 s").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
