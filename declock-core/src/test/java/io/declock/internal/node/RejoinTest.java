// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockRequest;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How soon a compute node is back after a network that answered nothing has healed. */
@Timeout(60)
class RejoinTest {
    /** An attempt of half a second that had just begun, the longest pause, and once more. */
    private static final long ALLOWED_NANOS = MILLISECONDS.toNanos(1200);

    private static final int ATTEMPTS = 3;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private MemoryNode memoryNode;
    private MemoryNodeServer server;
    private TcpProxy proxy;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(100)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(0).build());
        proxy = TcpProxy.withShortQueue(server.port());
        NodeCounters counters = new NodeCounters();
        node = ComputeNode.builder()
                .memoryNodes(List.of(MemoryNodeAddress.parse("tcp://127.0.0.1:" + proxy.port())))
                .fabric(TcpFabric.open(TcpFabricSettings.DEFAULTS, counters))
                .counters(counters)
                .build();
        node.start();
        assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
    }

    @AfterEach
    void stop() {
        node.close();
        proxy.close();
        server.close();
        memoryNode.close();
        timer.shutdownNow();
    }

    private Duration down() {
        return node.monitor().memoryNodes().get(0).downFor();
    }

    /** Other processes may take the processors from this one at the wrong moment; not three times in a row. */
    @Test
    void isBackSoonAfterANetworkThatSwallowedEverything() throws Exception {
        boolean soon = false;
        for (int attempt = 0; attempt < ATTEMPTS && !soon; attempt++) {
            soon = backAfterNanos() < ALLOWED_NANOS;
            node.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20)))
                    .close();
        }
        assertThat(soon).as("was back within 1.2 s + what the machine was late").isTrue();
    }

    /** Returns how long after the network it was back, without what the machine was late. */
    private long backAfterNanos() throws Exception {
        try (StallMeter machine = new StallMeter()) {
            proxy.swallow();
            // A connection attempt that waits for its kernel has tried once in three seconds.
            await("an attempt that was given up").atMost(Duration.ofSeconds(2)).until(() -> down().toMillis() > 700);
            long healedAt = System.nanoTime();
            proxy.swallowNoMore();
            assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
            long took = System.nanoTime() - healedAt;
            System.out.printf(
                    "back %d ms after the network; the machine itself was late by %d ms%n",
                    NANOSECONDS.toMillis(took), NANOSECONDS.toMillis(machine.longestNanos()));
            return took - machine.longestNanos();
        }
    }
}
