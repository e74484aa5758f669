// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.declock.ComputeNodeMonitor;
import io.declock.DecLock;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.MemoryNodeView;
import io.declock.spring.test.TestLocks;
import io.declock.testkit.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.PemTrustStore;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;

/** The memory node's own image, in a container. */
@Timeout(300)
class DecLockContainerIT {
    private static final String PASSWORD = "a secret of containers";

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    abstract static class Connected {
        @Autowired
        private DistributedReadWriteLock locks;

        @Autowired
        private ComputeNodeMonitor monitor;

        @Autowired
        private TestLocks testLocks;

        void assertLocksOf(String id, GenericContainer<?> container) throws InterruptedException {
            try (LockHandle handle = locks.acquire(LockRequest.write("order:42"))) {
                assertThat(handle.isValid()).isTrue();
            }
            assertThat(monitor.memoryNodes())
                    .extracting(MemoryNodeView::id, MemoryNodeView::address)
                    .containsExactly(tuple(
                            id, "tcp://" + container.getHost() + ":" + container.getMappedPort(DecLockContainer.PORT)));
            try (LockHandle elsewhere = testLocks.holdElsewhere("order:42")) {
                assertThat(locks.tryAcquire(LockRequest.write("order:42").waitTime(Duration.ZERO)))
                        .isEmpty();
                assertThat(elsewhere.isValid()).isTrue();
            }
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @Import(AsAServiceConnection.Containers.class)
    @DirtiesContext
    class AsAServiceConnection extends Connected {
        @TestConfiguration(proxyBeanMethods = false)
        static class Containers {
            @Bean
            @ServiceConnection
            DecLockContainer memoryNode() {
                return new DecLockContainer(MemoryNodeImage.build())
                        .withId("locks-1")
                        .withSecret(PASSWORD);
            }
        }

        @Test
        void theApplicationUsesTheContainer(@Autowired DecLockContainer container) throws Exception {
            assertLocksOf("locks-1", container);
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @Import(AsAnyContainerOfTheImage.Containers.class)
    @DirtiesContext
    class AsAnyContainerOfTheImage extends Connected {
        @TestConfiguration(proxyBeanMethods = false)
        static class Containers {
            @Bean
            @ServiceConnection(DecLockContainer.IMAGE)
            GenericContainer<?> memoryNode() {
                return new GenericContainer<>(MemoryNodeImage.build())
                        .withExposedPorts(7420, 7421)
                        .withEnv("DECLOCK_MEMORYNODE_ID", "locks-2")
                        .withEnv("DECLOCK_MEMORYNODE_SECRET", PASSWORD)
                        .withEnv("DECLOCK_MEMORYNODE_WAITOUTOLDSESSIONS", "false")
                        .waitingFor(Wait.forHttp("/actuator/health/readiness")
                                .forPort(7421)
                                .withStartupTimeout(Duration.ofMinutes(2)));
            }
        }

        @Test
        void theApplicationUsesTheContainer(@Autowired GenericContainer<?> container) throws Exception {
            assertLocksOf("locks-2", container);
        }
    }

    /** The static field that most tests have. JUnit starts it here, as {@code @Container} would. */
    @Nested
    @SpringBootTest(classes = Application.class)
    @DirtiesContext
    class AsAStaticField extends Connected {
        @ServiceConnection
        private static final DecLockContainer memoryNode =
                new DecLockContainer(MemoryNodeImage.NAME).withId("locks-3").withSecret(PASSWORD);

        @BeforeAll
        static void start() {
            MemoryNodeImage.build();
            memoryNode.start();
        }

        @AfterAll
        static void stop() {
            memoryNode.stop();
        }

        @Test
        void theApplicationUsesTheContainer() throws Exception {
            assertLocksOf("locks-3", memoryNode);
        }
    }

    /** A memory node that serves over TLS only, with a certificate that no public authority has signed. */
    @Nested
    @SpringBootTest(classes = Application.class)
    @DirtiesContext
    class WithTheCertificateOfTheMemoryNode extends Connected {
        private static final String CERTIFICATE = "target/memory-node-tls/node.crt";

        @ServiceConnection
        @PemTrustStore(certificate = "file:" + CERTIFICATE)
        private static final DecLockContainer memoryNode =
                new DecLockContainer(MemoryNodeImage.NAME).withId("locks-4").withSecret(PASSWORD);

        @BeforeAll
        static void start() throws Exception {
            MemoryNodeImage.build();
            Path certificate = Path.of(CERTIFICATE);
            Files.createDirectories(certificate.getParent());
            Files.deleteIfExists(certificate.resolveSibling("node.p12"));
            KeyStore keys = TestCertificates.create(
                    certificate.getParent(),
                    "node",
                    DockerClientFactory.instance().dockerHostIpAddress());
            Files.writeString(certificate, TestCertificates.certificatePem(keys, "node"));
            memoryNode
                    .withCopyToContainer(
                            Transferable.of(TestCertificates.certificatePem(keys, "node")), "/tls/node.crt")
                    .withCopyToContainer(Transferable.of(TestCertificates.keyPem(keys, "node")), "/tls/node.key")
                    .withEnv("SPRING_SSL_BUNDLE_PEM_NODE_KEYSTORE_CERTIFICATE", "file:/tls/node.crt")
                    .withEnv("SPRING_SSL_BUNDLE_PEM_NODE_KEYSTORE_PRIVATEKEY", "file:/tls/node.key")
                    .withEnv("DECLOCK_MEMORYNODE_SSL_BUNDLE", "node")
                    .start();
        }

        @AfterAll
        static void stop() {
            memoryNode.stop();
        }

        @Test
        void theApplicationUsesTheContainerOverTls() throws Exception {
            assertLocksOf("locks-4", memoryNode);
            assertThat(memoryNode.getLogs()).contains("TLS on");
        }
    }

    @Test
    void aProgramWithoutSpringUsesItsAddress() throws Exception {
        try (DecLockContainer container = new DecLockContainer(MemoryNodeImage.build())) {
            container.start();
            try (DecLock locks = DecLock.connect(container.getMemoryNodeUri());
                    LockHandle handle = locks.acquire(LockRequest.write("order:42"))) {
                assertThat(handle.isValid()).isTrue();
                assertThat(locks.monitor().memoryNodes().get(0).id()).isEqualTo("test");
            }
        }
    }
}
