// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs.pages;

import static io.declock.docs.pages.TestingPage.State.OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.willAnswer;

import io.declock.LockHandle;
import io.declock.LockLostException;
import io.declock.MemoryNodeUnavailableException;
import io.declock.spring.test.DecLockTest;
import io.declock.spring.test.FailOnLeakedLocks;
import io.declock.spring.test.TestLocks;
import io.declock.testcontainers.DecLockContainer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.PemTrustStore;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.utility.MountableFile;

/** The code of docs/testing.md, which only has to compile: the tests in it are not run. */
@SuppressWarnings({"unused", "try"})
class TestingPage {
    enum State {
        OPEN
    }

    record Order(State state) {}

    record Receipt(long order) {}

    interface Orders {
        Receipt ship(long id);

        Order find(long id);
    }

    interface Reports {
        Optional<String> build();
    }

    interface Carrier {
        void book(long order);
    }

    // tag::testing-busy[]
    @SpringBootTest
    static class ReportTests {
        @Autowired
        TestLocks locks;

        @Autowired
        Reports reports;

        @Autowired
        Orders orders;

        @Test
        void theReportIsSkippedWhileAnotherInstanceBuildsIt() {
            try (LockHandle elsewhere = locks.holdElsewhere("report")) {
                assertThat(reports.build()).isEmpty();
            }
            assertThat(reports.build()).isPresent();
        }

        @Test
        void anOrderWaitsForTheOneBeforeIt() throws Exception {
            CompletableFuture<Receipt> receipt;
            try (LockHandle elsewhere = locks.holdElsewhere("order:42")) {
                receipt = CompletableFuture.supplyAsync(() -> orders.ship(42));
                await().until(() -> !locks.waiting().isEmpty());
            }
            assertThat(receipt).succeedsWithin(Duration.ofSeconds(10));
        }
    }
    // end::testing-busy[]

    // tag::testing-lost[]
    @SpringBootTest
    static class ShippingTests {
        @Autowired
        TestLocks locks;

        @Autowired
        Orders orders;

        @MockitoBean
        Carrier carrier;

        @Test
        void anOrderIsNotShippedIfItsLockIsLostMeanwhile() {
            willAnswer(call -> {
                        locks.lose("order:42");
                        return null;
                    })
                    .given(carrier)
                    .book(42);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> orders.ship(42));
            assertThat(orders.find(42).state()).isEqualTo(OPEN);
        }
    }
    // end::testing-lost[]

    // tag::testing-outage[]
    @SpringBootTest(properties = {"declock.fail-fast=true", "declock.resilience.retry.enabled=false"})
    static class OutageTests {
        @Autowired
        TestLocks locks;

        @Autowired
        Orders orders;

        @Test
        void ordersAreRefusedDuringAnOutage() {
            try (TestLocks.Outage outage = locks.unavailable()) {
                assertThatExceptionOfType(MemoryNodeUnavailableException.class).isThrownBy(() -> orders.ship(42));
            }
            orders.ship(42);
        }
    }
    // end::testing-outage[]

    // tag::testing-leak[]
    @SpringBootTest
    @FailOnLeakedLocks
    static class OrderTests {}
    // end::testing-leak[]

    static class Slice {
        static class Orders {}

        // tag::testing-slice[]
        @DecLockTest
        @Import(Orders.class)
        static class OrdersTests {
            @Autowired
            Orders orders;

            @Autowired
            TestLocks locks;

            @MockitoBean
            Carrier carrier;
        }
        // end::testing-slice[]
    }

    // tag::testing-container[]
    @SpringBootTest
    @Testcontainers
    static class OrdersOverTcpTests {
        @Container
        @ServiceConnection
        static DecLockContainer memoryNode =
                new DecLockContainer("registry.example/declock/memory-node:0.1").withSecret("a secret of 16 or more");

        @Autowired
        Orders orders;
    }
    // end::testing-container[]

    static class OrdersOverTlsTests {
        // tag::testing-container-tls[]
        @Container
        @ServiceConnection
        @PemTrustStore(certificate = "classpath:node.crt")
        static DecLockContainer memoryNode = new DecLockContainer("registry.example/declock/memory-node:0.1")
                .withCopyToContainer(MountableFile.forClasspathResource("node.crt"), "/tls/node.crt")
                .withCopyToContainer(MountableFile.forClasspathResource("node.key"), "/tls/node.key")
                .withEnv("SPRING_SSL_BUNDLE_PEM_NODE_KEYSTORE_CERTIFICATE", "file:/tls/node.crt")
                .withEnv("SPRING_SSL_BUNDLE_PEM_NODE_KEYSTORE_PRIVATEKEY", "file:/tls/node.key")
                .withEnv("DECLOCK_MEMORYNODE_SSL_BUNDLE", "node");
        // end::testing-container-tls[]
    }
}
