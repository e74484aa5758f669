// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.declock.LockLostException;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spring.DecLockContext;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The memory node goes in the middle of an order, and with it the lock: the order is rolled back, nothing is sold. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.datasource.url=jdbc:h2:mem:lost;DB_CLOSE_DELAY=-1",
            "declock.lease=2s",
            "declock.heartbeat-interval=200ms",
            "declock.lease-margin=100ms",
            "shop.instance=one",
            "shop.products=1",
            "shop.stock=10"
        })
class LostLockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final AtomicReference<Runnable> inTheMiddle = new AtomicReference<>(() -> {});
    private static ScheduledExecutorService timer;
    private static MemoryNode memoryNode;
    private static MemoryNodeServer server;

    @Autowired
    private OrderDesk desk;

    @Autowired
    private OrderBook orders;

    @BeforeAll
    static void startMemoryNode() throws IOException {
        timer = Executors.newSingleThreadScheduledExecutor();
        start(0, false);
    }

    @AfterAll
    static void stopMemoryNode() {
        stop();
        timer.shutdownNow();
    }

    private static void start(int port, boolean hadEarlierLife) throws IOException {
        memoryNode = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(100)
                        .queueCapacity(8)
                        .maxLease(Duration.ofSeconds(2))
                        .leaseMargin(Duration.ofMillis(100))
                        .formerLease(Duration.ofSeconds(2))
                        .waitOutOldSessions(hadEarlierLife)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(
                memoryNode,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(port).build());
    }

    private static void stop() {
        server.close();
        memoryNode.close();
    }

    @DynamicPropertySource
    static void memoryNode(DynamicPropertyRegistry properties) {
        properties.add("declock.memory-nodes", () -> "tcp://127.0.0.1:" + server.port());
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class SlowOrders {
        @Bean
        @Primary
        OrderBook slowOrderBook(JdbcClient jdbc, InstanceName instance) {
            return new OrderBook(jdbc, instance) {
                @Override
                Receipt sell(Order order, long token) {
                    Receipt receipt = super.sell(order, token);
                    inTheMiddle.get().run();
                    return receipt;
                }
            };
        }
    }

    @Test
    void anOrderWhoseLockIsLostIsRolledBackAndTheNextOneIsTaken() throws Exception {
        Order order = new Order("kettle", 3);
        Receipt first = desk.place(order);
        assertThat(first.left()).isEqualTo(7);

        int port = server.port();
        inTheMiddle.set(() -> {
            CountDownLatch lost = new CountDownLatch(1);
            DecLockContext.currentHandle().onLost((handle, why) -> lost.countDown());
            stop();
            await(lost);
        });
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> desk.place(order))
                .withMessageContaining("rolled back")
                .withMessageContaining("product:kettle");
        assertThat(orders.find("kettle").stock()).isEqualTo(7);
        assertThat(orders.sales().get(0).orders()).isEqualTo(1);

        inTheMiddle.set(() -> {});
        start(port, true);
        Receipt second = desk.place(order);
        assertThat(second.left()).isEqualTo(4);
        assertThat(second.token()).isGreaterThan(first.token());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
