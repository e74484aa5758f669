// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeMonitor;
import io.declock.DistributedReadWriteLock;
import io.declock.LockRequest;
import io.declock.MemoryNodeView;
import io.declock.spring.autoconfigure.DecLockConnectionDetails;
import io.declock.spring.test.shop.ShopApplication;
import io.declock.testkit.Ports;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The module's application.properties configure production's memory nodes, in Kubernetes. */
class OwnMemoryNodeTests {
    private static final String NOWHERE = "tcp://127.0.0.1:1";

    abstract static class Contexts {
        @Autowired
        ComputeNodeMonitor monitor;

        @Autowired
        DistributedReadWriteLock locks;

        List<String> memoryNodes() {
            return monitor.memoryNodes().stream().map(MemoryNodeView::address).toList();
        }

        void assertOwn() throws InterruptedException {
            assertThat(memoryNodes()).containsExactly("inprocess://embedded");
            locks.acquire(LockRequest.write("x")).close();
        }
    }

    @Nested
    @SpringBootTest(classes = ShopApplication.class)
    class ByDefault extends Contexts {
        @Test
        void aTestHasAMemoryNodeOfItsOwn() throws Exception {
            assertOwn();
        }
    }

    @Nested
    @SpringBootTest(classes = ShopApplication.class)
    @ActiveProfiles("indexed")
    class WithAList extends Contexts {
        @Test
        void aTestHasAMemoryNodeOfItsOwn() throws Exception {
            assertOwn();
        }
    }

    @Nested
    @SpringBootTest(
            classes = ShopApplication.class,
            properties = {"declock.memory-nodes=" + NOWHERE, "declock.startup.timeout=10ms"})
    class WithMemoryNodesOfTheTest extends Contexts {
        @Test
        void theyAreUsed() {
            assertThat(memoryNodes()).containsExactly(NOWHERE);
        }
    }

    @Nested
    @SpringBootTest(
            classes = ShopApplication.class,
            properties = {"declock.test.private-memory-node=false", "declock.startup.timeout=10ms"})
    class SwitchedOff extends Contexts {
        @Test
        void thoseOfTheApplicationAreUsed() {
            assertThat(memoryNodes()).containsExactly("tcp://locks.production.invalid:7420");
        }
    }

    @Nested
    @SpringBootTest(classes = ShopApplication.class, properties = "declock.startup.timeout=10ms")
    @Import(WithConnectionDetails.Details.class)
    class WithConnectionDetails extends Contexts {
        @TestConfiguration(proxyBeanMethods = false)
        static class Details {
            @Bean
            DecLockConnectionDetails details() {
                return () -> List.of(NOWHERE);
            }
        }

        @Test
        void theyAreUsed() {
            assertThat(memoryNodes()).containsExactly(NOWHERE);
        }
    }

    @Nested
    @SpringBootTest(
            classes = ShopApplication.class,
            properties = {"declock.embedded.directory=target/embedded", "spring.main.cloud-platform=none"})
    @DirtiesContext
    class WithAPortOfTheTest extends Contexts {
        private static final int PORT = Ports.free();

        @DynamicPropertySource
        static void port(DynamicPropertyRegistry properties) {
            properties.add("declock.embedded.port", () -> PORT);
        }

        @Test
        void theEmbeddedMemoryNodeListensThere() throws Exception {
            assertThat(memoryNodes()).containsExactly("tcp://127.0.0.1:" + PORT);
            locks.acquire(LockRequest.write("x")).close();
        }
    }
}
