// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockRequest;
import io.declock.fabric.MemoryNodeAddress;
import io.declock.fabric.tcp.TcpFabric;
import io.declock.fabric.tcp.TcpFabricSettings;
import io.declock.memorynode.MemoryNode;
import io.declock.memorynode.MemoryNodeServer;
import io.declock.memorynode.MemoryNodeServerSettings;
import io.declock.memorynode.MemoryNodeSettings;
import io.declock.monitor.Counters;
import io.declock.monitor.MemoryNodeView;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How soon a compute node is back after a network that answered nothing has healed. */
@Timeout(60)
class RejoinTest {
    /** An attempt of half a second that had just begun, the longest pause, and what a busy machine takes. */
    private static final long ALLOWED_NANOS = MILLISECONDS.toNanos(1200);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private MemoryNode memoryNode;
    private MemoryNodeServer server;
    private SwallowingProxy proxy;
    private ComputeNode node;

    @BeforeEach
    void start() throws Exception {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.withId("mn").withSize(100, 8).withWaitOutOldSessions(false),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(memoryNode, MemoryNodeServerSettings.DEFAULTS.withAddress("127.0.0.1", 0));
        proxy = new SwallowingProxy(server.port());
        Counters counters = new Counters();
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

    private MemoryNodeView.State state() {
        return node.monitor().memoryNodes().get(0).state();
    }

    /** A kernel repeats its attempt to connect a second after the first, and then only after two more. */
    @ParameterizedTest
    @ValueSource(ints = {1200, 4300})
    void isBackSoonAfterANetworkThatSwallowedEverythingHasHealed(int outageMillis) throws Exception {
        proxy.swallow();
        await().until(() -> state() != MemoryNodeView.State.UP);
        MILLISECONDS.sleep(outageMillis);
        assertThat(state()).isNotEqualTo(MemoryNodeView.State.UP);
        try (StallMeter machine = new StallMeter()) {
            long healedAt = System.nanoTime();
            proxy.heal();
            assertThat(node.awaitReady(Duration.ofSeconds(20))).isTrue();
            long took = System.nanoTime() - healedAt;
            System.out.printf(
                    "back %d ms after an outage of %d ms; the machine itself was late by %d ms%n",
                    NANOSECONDS.toMillis(took), outageMillis, NANOSECONDS.toMillis(machine.longestNanos()));
            assertThat(took - machine.longestNanos()).isLessThan(ALLOWED_NANOS);
        }
        node.acquire(LockRequest.write("x").waitTime(Duration.ofSeconds(20))).close();
    }
}
