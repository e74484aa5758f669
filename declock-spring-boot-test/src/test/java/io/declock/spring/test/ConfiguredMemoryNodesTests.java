// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.LockLostException;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spring.test.shop.Shop;
import io.declock.spring.test.shop.ShopApplication;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A memory node that the test starts and configures, over TCP. */
@SpringBootTest(classes = ShopApplication.class)
@DirtiesContext
@Timeout(60)
class ConfiguredMemoryNodesTests {
    private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private static MemoryNode memoryNode;
    private static MemoryNodeServer server;

    @Autowired
    private TestLocks testLocks;

    @Autowired
    private Shop shop;

    @BeforeAll
    static void start() throws IOException {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(100)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder()
                        .host("127.0.0.1")
                        .port(0)
                        .secrets(java.util.List.of("a secret of the test"))
                        .build());
    }

    @AfterAll
    static void stop() {
        server.close();
        memoryNode.close();
        timer.shutdownNow();
    }

    @DynamicPropertySource
    static void memoryNode(DynamicPropertyRegistry properties) {
        properties.add("declock.memory-nodes", () -> "tcp://127.0.0.1:" + server.port());
        properties.add("declock.secret", () -> "a secret of the test");
    }

    @AfterEach
    void reset() {
        testLocks.reset();
    }

    @Test
    void anotherInstanceJoinsThem() {
        testLocks.holdElsewhere("order:42");
        assertThat(shop.tryShip(42)).isEqualTo("later");
        assertThat(shop.tryShip(43)).isEqualTo("shipped");
    }

    @Test
    void locksAreLost() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> shop.ship(42, () -> testLocks.lose("order:42")));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> shop.ship(42, testLocks::loseAll));
        assertThat(shop.ship(42, () -> {})).isEqualTo("shipped");
    }

    @Test
    void theyCannotBeMadeUnavailable() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(testLocks::unavailable)
                .withMessageContaining("not private");
    }
}
