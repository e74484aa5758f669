// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.InvalidSettingException;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeUnavailableException;
import io.declock.MemoryNodeView;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.NodeSet;
import io.declock.spi.SessionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that starts while a memory node is down learns the set of memory nodes from the others (rule C11). */
@Timeout(60)
class MemoryNodeDownAtStartTest {
    private static final int NAMES = 90;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private final Map<String, MemoryNode> memoryNodes = new ConcurrentHashMap<>();

    /** Starts a memory node, or starts it again with empty memory. */
    private void memoryNode(String id, NodeSet nodeSet) {
        memoryNodes.put(
                id,
                MemoryNode.create(
                        MemoryNodeSettings.builder(id)
                                .records(1_000)
                                .queueCapacity(8)
                                .waitOutOldSessions(false)
                                .nodeSet(nodeSet)
                                .build(),
                        System::nanoTime,
                        (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                        () -> ThreadLocalRandom.current().nextLong()));
    }

    private void memoryNodes(String... ids) {
        for (String id : ids) {
            memoryNode(id, NodeSet.NONE);
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(ComputeNode::close);
        memoryNodes.values().forEach(MemoryNode::close);
        timer.shutdownNow();
    }

    /** Starts a process. The addresses are the ids of the memory nodes, unless they name another memory node: {@code address=id}. */
    private ComputeNode node(boolean failFast, String... addresses) {
        NodeCounters counters = new NodeCounters();
        ComputeNode.Builder builder = ComputeNode.builder()
                .settings(ComputeNodeSettings.builder().failFast(failFast).build())
                .counters(counters);
        List<MemoryNodeAddress> all = new ArrayList<>();
        for (String address : addresses) {
            String[] parts = address.split("=", 2);
            SwitchedFabric fabric = new SwitchedFabric(parts[0], parts[parts.length - 1], counters);
            builder.fabric(fabric);
            all.add(fabric.address);
        }
        ComputeNode node = builder.memoryNodes(all).build();
        nodes.add(node);
        node.start();
        return node;
    }

    private ComputeNode ready(String... addresses) throws InterruptedException {
        ComputeNode node = node(false, addresses);
        assertThat(node.awaitReady(Duration.ofSeconds(10))).isTrue();
        return node;
    }

    private static String name(int number) {
        return "name-" + number;
    }

    /** Returns which memory node each name belongs to, by a process that has joined all of them. */
    private static Map<String, String> homes(ComputeNode node) {
        Map<String, String> homes = new HashMap<>();
        for (int i = 0; i < NAMES; i++) {
            homes.put(
                    name(i),
                    String.valueOf(node.monitor().homeOf(name(i)).address().host()));
        }
        return homes;
    }

    private void kill(String id) {
        memoryNodes.remove(id).close();
    }

    @Test
    void namesOfTheOtherMemoryNodesAreServed() throws Exception {
        memoryNodes("north", "south", "west");
        ComputeNode first = ready("north", "south", "west");
        Map<String, String> homes = homes(first);
        kill("west");
        ComputeNode late = node(true, "west", "south", "north");
        await().until(() -> late.monitor().homeOf("any") != null);
        await().until(() -> upAt(late) == 2);
        for (Map.Entry<String, String> entry : homes.entrySet()) {
            LockRequest request = LockRequest.write(entry.getKey());
            assertThat(late.monitor().homeOf(entry.getKey()).address().host())
                    .as("home of %s, though one memory node was never joined", entry.getKey())
                    .isEqualTo(entry.getValue());
            if (entry.getValue().equals("west")) {
                assertThatThrownBy(() -> late.acquire(request))
                        .isInstanceOf(MemoryNodeUnavailableException.class)
                        .hasMessageContaining("west");
            } else {
                try (LockHandle held = late.acquire(request)) {
                    assertThat(first.tryAcquire(request.waitTime(Duration.ZERO)))
                            .as("%s for a second owner", entry)
                            .isEmpty();
                    assertThat(held.isValid()).isTrue();
                }
            }
        }
    }

    @Test
    void whoWaitsForANameOfTheMissingOneGetsItWhenThatComesBack() throws Exception {
        memoryNodes("north", "south", "west");
        ComputeNode first = ready("north", "south", "west");
        Map<String, String> homes = homes(first);
        kill("west");
        kill("south");
        ComputeNode late = node(false, "north", "south", "west");
        await().until(() -> upAt(late) == 1);
        homes.forEach((name, home) -> assertThat(late.monitor().homeOf(name) == null)
                .as("whether nobody knows which of two memory nodes is the home of %s", name)
                .isEqualTo(!home.equals("north")));
        Map<String, CompletableFuture<LockHandle>> waiting = new HashMap<>();
        for (String name : homes.keySet()) {
            waiting.put(
                    name,
                    late.acquireAsync(LockRequest.write(name), LockOwner.named("waiter"))
                            .toCompletableFuture());
        }
        for (Map.Entry<String, CompletableFuture<LockHandle>> one : waiting.entrySet()) {
            if (homes.get(one.getKey()).equals("north")) {
                one.getValue().get(10, TimeUnit.SECONDS);
            }
        }
        assertThat(waiting.entrySet())
                .filteredOn(one -> one.getValue().isDone())
                .allMatch(one -> homes.get(one.getKey()).equals("north"));
        memoryNodes("south", "west");
        for (Map.Entry<String, CompletableFuture<LockHandle>> one : waiting.entrySet()) {
            LockHandle held = one.getValue().get(20, TimeUnit.SECONDS);
            assertThat(late.monitor().homeOf(one.getKey()).address().host()).isEqualTo(homes.get(one.getKey()));
            held.close();
        }
    }

    @Test
    void memoryNodesThatAreConfiguredWithTheSetTellItWithoutAnyMember() throws Exception {
        NodeSet both = NodeSet.of(List.of("north", "south"));
        memoryNode("north", both);
        ComputeNode alone = node(true, "north", "south");
        await().until(() -> upAt(alone) == 1 && !problem(alone, 1).isEmpty());
        Set<String> served = new HashSet<>();
        for (int i = 0; i < NAMES; i++) {
            try {
                alone.acquire(LockRequest.write(name(i))).close();
                served.add(name(i));
            } catch (MemoryNodeUnavailableException e) {
                assertThat(e).hasMessageContaining("south");
            }
        }
        memoryNode("south", both);
        ComputeNode other = ready("south", "north");
        Map<String, String> homes = homes(other);
        assertThat(served).isNotEmpty().allMatch(name -> homes.get(name).equals("north"));
        assertThat(homes.keySet())
                .filteredOn(name -> homes.get(name).equals("north"))
                .hasSameElementsAs(served);
        await().until(() -> upAt(alone) == 2);
        assertThat(homes(alone)).isEqualTo(homes);
    }

    @Test
    void withoutAnybodyThatKnowsTheSetNothingIsGranted() throws Exception {
        memoryNodes("north");
        ComputeNode alone = node(true, "north", "south");
        await().until(() -> upAt(alone) == 1 && !problem(alone, 1).isEmpty());
        for (int i = 0; i < NAMES; i++) {
            LockRequest request = LockRequest.write(name(i));
            assertThatThrownBy(() -> alone.acquire(request))
                    .isInstanceOf(MemoryNodeUnavailableException.class)
                    .hasMessageContaining("never joined: inprocess://south");
        }
    }

    @Test
    void aShorterOrLongerListIsRefusedAtOnce() throws Exception {
        memoryNodes("north", "south", "west");
        ready("north", "south", "west");
        kill("west");
        ComputeNode shorter = node(false, "north", "south");
        await().until(() -> problem(shorter, 0).contains("one of 3 memory nodes"));
        assertThat(problem(shorter, 0)).contains("configured with 2").contains("'north'");
        memoryNodes("west", "east");
        ComputeNode longer = node(false, "north", "south", "west", "east");
        await().until(() -> problem(longer, 1).contains("one of 3 memory nodes"));
    }

    @Test
    void moreMemoryNodesThanASetHoldsAreRefusedWhenTheNodeIsBuilt() {
        String[] tooMany = new String[NodeSet.MAX_SIZE + 1];
        Arrays.setAll(tooMany, i -> "mn" + i);
        assertThatThrownBy(() -> node(false, tooMany))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("256")
                .hasMessageContaining("at most 255");
    }

    @Test
    void aMemoryNodeThatIsNotOfTheSetIsRefused() throws Exception {
        memoryNodes("north", "south", "stranger");
        ready("north", "south");
        ComputeNode late = node(false, "north", "south=stranger");
        await().until(() -> problem(late, 1).contains("stranger"));
        assertThat(problem(late, 1)).contains("not among the memory nodes").contains("declock.memory-node.id");
        assertThat(memoryNodes.get("stranger").status().recordsInUse()).isZero();
    }

    private static long upAt(ComputeNode node) {
        return node.monitor().memoryNodes().stream()
                .filter(view -> view.state() == MemoryNodeView.State.UP)
                .count();
    }

    private static String problem(ComputeNode node, int memoryNode) {
        return node.monitor().memoryNodes().get(memoryNode).problem();
    }

    /** Reaches the memory node that has an id at the moment, if there is one. */
    private final class SwitchedFabric implements Fabric {
        private final MemoryNodeAddress address;
        private final String id;
        private final NodeCounters counters;

        SwitchedFabric(String host, String id, NodeCounters counters) {
            this.address = new MemoryNodeAddress("inprocess", host, 0);
            this.id = id;
            this.counters = counters;
        }

        @Override
        public boolean supports(MemoryNodeAddress asked) {
            return asked.equals(address);
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress to, JoinRequest request, SessionListener listener) {
            MemoryNode memoryNode = memoryNodes.get(id);
            if (memoryNode == null) {
                return CompletableFuture.failedFuture(new FabricException("nobody listens at " + to));
            }
            InProcessFabric real = InProcessFabric.open(memoryNode, counters);
            return real.join(real.address(), request, listener);
        }

        @Override
        public String peerAddress() {
            return "";
        }

        @Override
        public void close() {}
    }
}
