// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockTemplate;
import io.declock.spring.DecLocked;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.TestLocks;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;

/** Curator and DecLock side by side; ZooKeeper's server runs in this process. */
@DecLockTest
@Import({CuratorTests.After.class, CuratorTests.Shipped.class})
@Timeout(60)
class CuratorTests {
    interface Orders {
        void ship(long id);
    }

    static class Shipped implements Orders {
        @Override
        public void ship(long id) {}
    }

    record Before(CuratorFramework curator, Orders orders) {
        // tag::curator-before[]
        void ship(long id) throws Exception {
            InterProcessMutex mutex = new InterProcessMutex(curator, "/locks/order-" + id);
            mutex.acquire();
            try {
                orders.ship(id);
            } finally {
                mutex.release();
            }
        }
        // end::curator-before[]

        // tag::curator-read-before[]
        void look(long id) throws Exception {
            InterProcessReadWriteLock lock = new InterProcessReadWriteLock(curator, "/locks/catalogue");
            lock.readLock().acquire();
            try {
                orders.ship(id);
            } finally {
                lock.readLock().release();
            }
        }
        // end::curator-read-before[]

        LeaderLatch latch() throws Exception {
            // tag::curator-leader-before[]
            LeaderLatch latch = new LeaderLatch(curator, "/leaders/outbox");
            latch.start();
            // end::curator-leader-before[]
            return latch;
        }
    }

    record During(CuratorFramework curator, LockTemplate template, Orders orders) {
        // tag::curator-both[]
        void ship(long id) throws Exception {
            InterProcessMutex former = new InterProcessMutex(curator, "/locks/order-" + id);
            former.acquire();
            try {
                template.run("order:" + id, handle -> orders.ship(id));
            } finally {
                former.release();
            }
        }
        // end::curator-both[]
    }

    @Service
    static class After {
        private final Orders orders;

        After(Orders orders) {
            this.orders = orders;
        }

        // tag::curator-after[]
        @DecLocked(name = "order", key = "#id")
        public void ship(long id) {
            orders.ship(id);
        }
        // end::curator-after[]
    }

    @TempDir
    private static Path directory;

    private static ZooKeeperServer server;
    private static ServerCnxnFactory connections;
    private static CuratorFramework curator;

    @Autowired
    private LockTemplate template;

    @Autowired
    private After after;

    @Autowired
    private TestLocks testLocks;

    @BeforeAll
    static void startZooKeeper() throws Exception {
        server = new ZooKeeperServer(directory.toFile(), directory.toFile(), 500);
        connections = ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        connections.startup(server);
        curator = CuratorFrameworkFactory.newClient("127.0.0.1:" + connections.getLocalPort(), new RetryOneTime(100));
        curator.start();
    }

    @AfterAll
    static void stopZooKeeper() {
        curator.close();
        connections.shutdown();
        server.shutdown();
    }

    @Test
    void bothExcludesTheReleaseBeforeAndTheReleaseAfter() throws Exception {
        InterProcessMutex former = new InterProcessMutex(curator, "/locks/order-42");
        new During(curator, template, id -> {
                    assertThat(CompletableFuture.supplyAsync(() -> acquiredAtOnce(former))
                                    .join())
                            .isFalse();
                    CompletableFuture<Void> later = CompletableFuture.runAsync(() -> after.ship(id));
                    await().until(() -> !testLocks.waiting().isEmpty());
                    assertThat(later).isNotDone();
                })
                .ship(42);
        assertThat(acquiredAtOnce(former)).isTrue();
        former.release();
        try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
            assertThat(elsewhere.isValid()).isTrue();
        }
    }

    @Test
    void twoSystemsDoNotExcludeEachOther() throws Exception {
        new Before(
                        curator,
                        id -> CompletableFuture.runAsync(() -> after.ship(id))
                                .orTimeout(10, TimeUnit.SECONDS)
                                .join())
                .ship(43);
    }

    @Test
    void theOtherCallsWork() throws Exception {
        Before before = new Before(curator, id -> {});
        before.look(1);
        try (LeaderLatch latch = before.latch()) {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static boolean acquiredAtOnce(InterProcessMutex mutex) {
        try {
            return mutex.acquire(100, TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
