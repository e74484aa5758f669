// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.LockTemplate;
import io.declock.spring.DecLocked;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import io.declock.testkit.ChildProcess;
import io.declock.testkit.Needs;
import io.declock.testkit.Ports;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;

/** Redisson and DecLock side by side, on a Redis server. */
@DecLockTest
@Import({RedissonTests.After.class, RedissonTests.Orders.class, RedissonTests.Accounts.class})
@Timeout(60)
class RedissonTests {
    static class Orders {
        private Runnable inside = () -> {};

        void ship(long id) {
            inside.run();
        }
    }

    static class Accounts {
        private final List<String> moved = new CopyOnWriteArrayList<>();

        void move(String from, String to) {
            moved.add(from + " to " + to);
        }
    }

    record Before(RedissonClient redisson, Orders orders, Accounts accounts) {
        // tag::redisson-before[]
        void ship(long id) {
            RLock lock = redisson.getFairLock("order:" + id);
            lock.lock();
            try {
                orders.ship(id);
            } finally {
                lock.unlock();
            }
        }
        // end::redisson-before[]

        // tag::redisson-try-before[]
        boolean tryShip(long id) throws InterruptedException {
            RLock lock = redisson.getFairLock("order:" + id);
            if (!lock.tryLock(2, 60, TimeUnit.SECONDS)) {
                return false;
            }
            try {
                orders.ship(id);
                return true;
            } finally {
                lock.unlock();
            }
        }
        // end::redisson-try-before[]

        // tag::redisson-multi-before[]
        void transfer(String from, String to) {
            RLock both = redisson.getMultiLock(redisson.getLock("account:" + from), redisson.getLock("account:" + to));
            both.lock();
            try {
                accounts.move(from, to);
            } finally {
                both.unlock();
            }
        }
        // end::redisson-multi-before[]
    }

    record During(RedissonClient redisson, DistributedReadWriteLock locks, Orders orders) {
        // tag::redisson-both[]
        void ship(long id) {
            Lock lock = new BothLocks(
                    redisson.getFairLock("order:" + id),
                    locks.lock("order:" + id).writeLock());
            lock.lock();
            try {
                orders.ship(id);
            } finally {
                lock.unlock();
            }
        }
        // end::redisson-both[]
    }

    @Service
    static class After {
        private final Orders orders;
        private final Accounts accounts;
        private final LockTemplate template;
        private final DistributedReadWriteLock locks;

        After(Orders orders, Accounts accounts, LockTemplate template, DistributedReadWriteLock locks) {
            this.orders = orders;
            this.accounts = accounts;
            this.template = template;
            this.locks = locks;
        }

        // tag::redisson-after[]
        @DecLocked(name = "order", key = "#id")
        public void ship(long id) {
            orders.ship(id);
        }
        // end::redisson-after[]

        // tag::redisson-try-after[]
        public boolean tryShip(long id) throws InterruptedException {
            LockRequest request = LockRequest.write("order:" + id)
                    .waitTime(Duration.ofSeconds(2))
                    .leaseTime(Duration.ofSeconds(60));
            try (LockHandle handle = locks.tryAcquire(request).orElse(null)) {
                if (handle != null) {
                    orders.ship(id);
                }
                return handle != null;
            }
        }
        // end::redisson-try-after[]

        // tag::redisson-multi-after[]
        public void transfer(String from, String to) {
            LockRequest both = LockRequest.write("account:" + from).andWrite("account:" + to);
            template.run(both, handle -> accounts.move(from, to));
        }
        // end::redisson-multi-after[]
    }

    private static ChildProcess redis;
    private static RedissonClient redisson;

    @Autowired
    private After after;

    @Autowired
    private Orders orders;

    @Autowired
    private Accounts accounts;

    @Autowired
    private DistributedReadWriteLock locks;

    @Autowired
    private TestLocks testLocks;

    @BeforeAll
    static void startRedis() throws Exception {
        Needs.program("redis-server", RedissonTests.class.getSimpleName(), "redis-server");
        int port = Ports.free();
        redis = ChildProcess.echoed(
                "redis-server",
                new ProcessBuilder(
                        "redis-server",
                        "--port",
                        "" + port,
                        "--bind",
                        Ports.LOOPBACK,
                        "--save",
                        "",
                        "--appendonly",
                        "no"),
                "Redis ended");
        redis.awaitPort(port, Duration.ofSeconds(20));
        Config config = new Config();
        config.useSingleServer()
                .setAddress("redis://" + Ports.LOOPBACK + ":" + port)
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(4);
        redisson = Redisson.create(config);
    }

    @AfterAll
    static void stopRedis() {
        if (redisson != null) {
            redisson.shutdown();
            redis.close();
        }
    }

    @BeforeEach
    void free() {
        orders.inside = () -> {};
        testLocks.reset();
    }

    @Test
    void twoSystemsDoNotExcludeEachOther() throws Exception {
        orders.inside = () -> {
            orders.inside = () -> {};
            CompletableFuture.runAsync(() -> after.ship(42))
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        };
        new Before(redisson, orders, accounts).ship(42);
    }

    @Test
    void bothExcludesTheReleaseBeforeAndTheReleaseAfter() throws Exception {
        Before before = new Before(redisson, orders, accounts);
        orders.inside = () -> {
            orders.inside = () -> {};
            assertThat(CompletableFuture.supplyAsync(() -> {
                                RLock former = redisson.getFairLock("order:42");
                                return former.tryLock();
                            })
                            .join())
                    .isFalse();
            CompletableFuture<Void> later = CompletableFuture.runAsync(() -> after.ship(42));
            await().until(() -> !testLocks.waiting().isEmpty());
            assertThat(later).isNotDone();
        };
        new During(redisson, locks, orders).ship(42);
        await().until(() -> testLocks.held().isEmpty() && testLocks.waiting().isEmpty());
        before.ship(42);
        assertThat(before.tryShip(42)).isTrue();
    }

    @Test
    void theCallsDoTheSame() throws Exception {
        Before before = new Before(redisson, orders, accounts);
        before.transfer("a", "b");
        after.transfer("b", "a");
        assertThat(accounts.moved).containsExactly("a to b", "b to a");
        after.ship(42);
        assertThat(after.tryShip(42)).isTrue();
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
            assertThat(after.tryShip(42)).isFalse();
        }
    }
}
