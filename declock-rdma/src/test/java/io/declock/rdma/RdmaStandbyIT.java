// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.RdmaAccess;
import io.declock.internal.memorynode.RegionMemory;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.TestCandidate;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.election.MemoryEngine;
import io.declock.testkit.Ports;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node with a stand-by, both with access by RDMA: holds go on at the candidate that follows (rules H5 to H7). */
@Timeout(300)
class RdmaStandbyIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Long, because processors are emulated. */
    private static final TestCandidate.Times TIMES =
            new TestCandidate.Times(Duration.ofSeconds(30), Duration.ofMillis(500), Duration.ofSeconds(4));

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    private final MemoryEngine.Shared shared = new MemoryEngine.Shared();
    private final List<TestCandidate> candidates = new ArrayList<>();
    private final List<ComputeNode> nodes = new ArrayList<>();
    private List<String> places = List.of();

    /** The memory of each life is another one, and is registered anew. */
    private static final class ByRdma implements TestCandidate.Access {
        private RdmaMemory memory = new RdmaMemory();

        @Override
        public RegionMemory nextMemory() {
            memory = new RdmaMemory();
            return memory;
        }

        @Override
        public RdmaAccess serve(MemoryNode life) throws IOException {
            return RdmaServer.start(life, memory, RdmaRig.backend(), RdmaRig.settings(), 0);
        }
    }

    @BeforeEach
    void start() throws Exception {
        places = Ports.free(2).stream().map(port -> RdmaRig.host() + ":" + port).toList();
        List<String> addresses = places.stream().map(place -> "tcp://" + place).toList();
        for (String address : addresses) {
            candidates.add(new TestCandidate(shared, address, addresses, TIMES, timer, new ByRdma()));
        }
        await().atMost(PATIENCE)
                .until(() -> candidates.stream().filter(TestCandidate::serves).count() == 1);
    }

    @AfterEach
    void stop() throws Exception {
        nodes.forEach(ComputeNode::close);
        for (TestCandidate candidate : candidates) {
            if (candidate.isRunning()) {
                candidate.kill();
            }
        }
        timer.shutdownNow();
    }

    private ComputeNode join() throws Exception {
        NodeCounters counters = new NodeCounters();
        TcpFabric tcp = TcpFabric.open(
                TcpFabricSettings.builder()
                        .connectTimeout(Duration.ofSeconds(15))
                        .requestTimeout(Duration.ofSeconds(10))
                        .build(),
                counters);
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("rdma://" + String.join("|", places))))
                .fabric(RdmaRig.open(tcp, counters))
                .settings(ComputeNodeSettings.builder().lease(TIMES.lease()).build())
                .counters(counters)
                .build();
        nodes.add(node);
        node.start();
        assertThat(node.awaitReady(PATIENCE)).isTrue();
        return node;
    }

    @Test
    void holdsGoOnWhenTheCandidateThatServesDies() throws Exception {
        ComputeNode holder = join();
        ComputeNode other = join();
        LockHandle held = holder.acquire(LockRequest.write("a"));
        CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.write("a"), LockOwner.named("waiter"))
                .toCompletableFuture();
        TestCandidate serving =
                candidates.stream().filter(TestCandidate::serves).findFirst().orElseThrow();
        serving.kill();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(holder.monitor().counters().get(Event.HOLD_RESTORED))
                        .as(() -> "restored; candidates "
                                + candidates.stream()
                                        .map(TestCandidate::standing)
                                        .toList() + ", memory nodes "
                                + holder.monitor().memoryNodes())
                        .isEqualTo(1));
        assertThat(held.isValid()).isTrue();
        assertThat(waiting).isNotDone();
        long token = held.fencingToken();
        held.close();
        try (LockHandle next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.fencingToken()).isGreaterThan(token);
        }
        try (LockHandle fresh = holder.acquire(LockRequest.write("b"))) {
            assertThat(fresh.isValid()).isTrue();
        }
        assertThat(holder.monitor().counters().get(Event.HOLD_LOST)).isZero();
    }
}
