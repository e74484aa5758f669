// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.internal.tcp.client.TcpFabric;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A memory node in a process of its own: its processor takes no part in locking, and its death is noticed. */
@Timeout(180)
class MemoryNodeProcessIT {
    private static ComputeNode computeNode(int port) throws Exception {
        NodeCounters counters = new NodeCounters();
        ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("rdma://" + RdmaRig.host() + ":" + port)))
                .fabric(RdmaFabric.open(
                        RdmaRig.backend(),
                        RdmaRig.settings(),
                        PeerSettings.DEFAULTS,
                        false,
                        TcpFabric.open(TcpFabricSettings.DEFAULTS, counters),
                        counters))
                .counters(counters)
                .build();
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(30))).isTrue();
        return node;
    }

    @Test
    void locksGoOnWhileTheMemoryNodesProcessIsStopped() throws Exception {
        try (MemoryNodeProcess process = new MemoryNodeProcess();
                ComputeNode node = computeNode(process.port())) {
            LockRequest request = LockRequest.write("order:1");
            node.acquire(request).close();

            int rounds = 0;
            process.process().pause();
            try {
                long until = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
                while (System.nanoTime() < until) {
                    try (LockHandle handle = node.acquire(request)) {
                        assertThat(handle.isValid()).isTrue();
                        rounds++;
                    }
                }
            } finally {
                process.process().resume();
            }
            System.out.println("Locked and unlocked while the memory node's process was stopped: " + rounds);
            assertThat(rounds).isGreaterThan(10);
            node.acquire(request).close();
        }
    }

    @Test
    void aKilledMemoryNodeIsNoticed() throws Exception {
        try (MemoryNodeProcess process = new MemoryNodeProcess();
                ComputeNode node = computeNode(process.port())) {
            LockHandle handle = node.acquire(LockRequest.write("order:1"));
            process.process().kill();
            await().atMost(Duration.ofSeconds(15)).untilAsserted(() -> {
                assertThat(handle.isValid()).isFalse();
                assertThat(node.monitor().memoryNodes().get(0).state()).isNotEqualTo(MemoryNodeView.State.UP);
            });
        }
    }
}
