// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.ComputeNodeSettings;
import io.declock.Counters.Event;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.TcpFabricSettings;
import io.declock.Verb;
import io.declock.internal.memorynode.MembersInMemory;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.Term;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.node.NodeListPublisher;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.Fabric;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node with RDMA is added while compute nodes with and without RDMA hold locks (rules M1 to M6). */
@Timeout(300)
class RdmaGrowthIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Long, because processors are emulated. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final int NAMES = 30;

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    private final List<Served> memoryNodes = new ArrayList<>();
    private final List<ComputeNode> nodes = new ArrayList<>();

    private record Served(MemoryNode node, RdmaServer rdma, MemoryNodeServer server) {
        String place() {
            return RdmaRig.host() + ":" + server.port();
        }

        void close() {
            node.close();
            server.close();
            rdma.close();
        }
    }

    private Served serve(String id) throws IOException {
        RdmaMemory memory = new RdmaMemory();
        MembersInMemory members = new MembersInMemory();
        members.complete();
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.builder(id)
                        .records(1_000)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .formerLease(LEASE)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong(),
                memory,
                members.nextLife(),
                Term.UNLIMITED);
        RdmaServer rdma = RdmaServer.start(node, memory, RdmaRig.backend(), RdmaRig.settings(), 0);
        MemoryNodeServer server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder().host(RdmaRig.host()).port(0).build(),
                rdma);
        Served served = new Served(node, rdma, server);
        memoryNodes.add(served);
        return served;
    }

    @AfterEach
    void stop() {
        nodes.forEach(ComputeNode::close);
        memoryNodes.forEach(Served::close);
        timer.shutdownNow();
    }

    private static TcpFabric tcp(NodeCounters counters) {
        return TcpFabric.open(
                TcpFabricSettings.builder()
                        .connectTimeout(Duration.ofSeconds(15))
                        .requestTimeout(Duration.ofSeconds(10))
                        .build(),
                counters);
    }

    private ComputeNode join(String scheme, Served first) throws Exception {
        NodeCounters counters = new NodeCounters();
        TcpFabric tcp = tcp(counters);
        Fabric fabric = scheme.equals(TcpFabric.SCHEME) ? tcp : RdmaRig.open(tcp, counters);
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse(scheme + "://" + first.place())))
                .fabric(fabric)
                .settings(ComputeNodeSettings.builder().lease(LEASE).build())
                .counters(counters)
                .build();
        nodes.add(node);
        node.start();
        assertThat(node.awaitReady(PATIENCE)).isTrue();
        return node;
    }

    private Map<String, LockHandle> hold(ComputeNode node, String prefix) throws Exception {
        Map<String, LockHandle> held = new LinkedHashMap<>();
        for (int i = 0; i < NAMES; i++) {
            held.put(prefix + i, node.acquire(LockRequest.write(prefix + i)));
        }
        return held;
    }

    private static List<String> up(ComputeNode node) {
        return node.monitor().memoryNodes().stream()
                .filter(view -> view.state() == MemoryNodeView.State.UP)
                .map(MemoryNodeView::id)
                .sorted()
                .toList();
    }

    @Test
    void holdsMoveToTheMemoryNodeThatIsAdded() throws Exception {
        Served a = serve("a");
        ComputeNode rdma = join("rdma", a);
        ComputeNode tcp = join(TcpFabric.SCHEME, a);
        Map<String, LockHandle> byRdma = hold(rdma, "rdma-");
        Map<String, LockHandle> overTcp = hold(tcp, "tcp-");
        Served b = serve("b");
        try (Fabric control = tcp(new NodeCounters());
                NodeListPublisher publisher = new NodeListPublisher(
                        control,
                        System::nanoTime,
                        (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                        ThreadLocalRandom.current().nextLong(),
                        System.out::println)) {
            publisher.join(List.of(MemoryNodeAddress.parse("rdma://" + a.place())));
            publisher.add(MemoryNodeAddress.parse("rdma://" + b.place()));
            assertThat(publisher.awaitMoved(PATIENCE)).isEmpty();
        }
        for (ComputeNode node : nodes) {
            await().atMost(PATIENCE).until(() -> up(node).equals(List.of("a", "b")));
            assertThat(node.monitor().counters().get(Event.HOLD_RESTORED)).isPositive();
            assertThat(node.monitor().counters().get(Event.HOLD_NOT_RESTORED)).isZero();
        }
        assertThat(byRdma.values()).allMatch(LockHandle::isValid);
        assertThat(overTcp.values()).allMatch(LockHandle::isValid);
        long verbsOverTcp = b.node().counts().get(Verb.FETCH_AND_ADD);
        byRdma.values().forEach(LockHandle::close);
        assertThat(b.node().counts().get(Verb.FETCH_AND_ADD))
                .as("verbs that the memory node executes for a process with RDMA")
                .isEqualTo(verbsOverTcp);
        overTcp.values().forEach(LockHandle::close);
        for (String name : overTcp.keySet()) {
            try (LockHandle handle = rdma.acquire(LockRequest.write(name))) {
                assertThat(handle.isValid()).isTrue();
            }
        }
    }
}
