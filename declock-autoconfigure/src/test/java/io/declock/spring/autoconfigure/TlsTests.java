// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.declock.DistributedReadWriteLock;
import io.declock.LockHandle;
import io.declock.LockOwner;
import io.declock.LockRequest;
import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.spring.Contexts;
import io.declock.testkit.Ports;
import io.declock.testkit.TestCertificates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** TLS and the secret, set by properties, reach both ends. */
@ExtendWith(OutputCaptureExtension.class)
class TlsTests {
    private static final LockOwner OWNER = LockOwner.named("test");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void makeKey() throws Exception {
        TestCertificates.create(folder, "locks", "127.0.0.1");
    }

    @Test
    void instancesWithTheSameBundleAndSecretMeetOverTls() throws IOException {
        int port = Ports.free();
        tls(port, "hush-hush-hush-hush").run(first -> {
            tls(port, "hush-hush-hush-hush").run(second -> {
                assertThat(second).hasNotFailed();
                DistributedReadWriteLock lock = first.getBean(DistributedReadWriteLock.class);
                try (LockHandle handle = lock.acquire(LockRequest.write("x"), OWNER)) {
                    assertThat(handle.isValid()).isTrue();
                    assertThat(second.getBean(DistributedReadWriteLock.class)
                                    .tryAcquire(LockRequest.write("x").waitTime(Duration.ofMillis(50))))
                            .isEmpty();
                }
                second.getBean(DistributedReadWriteLock.class)
                        .acquire(LockRequest.write("x"), OWNER)
                        .close();
            });
            Contexts.locks()
                    .withPropertyValues("declock.embedded.port=" + port, "declock.startup.timeout=1s")
                    .run(plain ->
                            assertThat(plain).getFailure().hasRootCauseInstanceOf(EmbeddedPortTakenException.class));
        });
    }

    @Test
    void newConnectionsUseACertificateThatCameMeanwhile() throws IOException {
        int port = Ports.free();
        AtomicInteger asked = new AtomicInteger();
        tls(port, "hush-hush-hush-hush").run(host -> {
            DefaultSslBundleRegistry registry = (DefaultSslBundleRegistry) host.getBean(SslBundles.class);
            SslBundle before = registry.getBundle("locks");
            ReloadedTlsProbe probe = new ReloadedTlsProbe(host.getBean(DecLockConnectionDetails.class));
            assertThat(probe.context()).isSameAs(probe.context());
            SSLContext first = probe.context();
            registry.updateBundle(
                    "locks", SslBundle.of(before.getStores(), before.getKey(), before.getOptions(), "TLS"));
            assertThat(probe.context()).isNotSameAs(first).isSameAs(probe.context());
            tls(port, "hush-hush-hush-hush").run(second -> assertThat(second).hasNotFailed());
            SslBundle broken = SslBundle.of(new SslStoreBundle() {
                @Override
                public KeyStore getKeyStore() {
                    asked.incrementAndGet();
                    throw new IllegalStateException("half of a file");
                }

                @Override
                public String getKeyStorePassword() {
                    return "changeit";
                }

                @Override
                public KeyStore getTrustStore() {
                    throw new IllegalStateException("half of a file");
                }
            });
            SSLContext good = probe.context();
            registry.updateBundle("locks", broken);
            assertThat(probe.context()).isSameAs(good);
            assertThat(asked).hasPositiveValue();
        });
    }

    /** Asks as each new connection does. */
    private record ReloadedTlsProbe(TlsMaterial material) {
        ReloadedTlsProbe(DecLockConnectionDetails details) {
            this(ReloadedTls.of(details, true));
        }

        SSLContext context() {
            return material.context().get();
        }
    }

    @Test
    void anotherSecretIsRefusedAndTheRefusalExplained() throws IOException {
        int port = Ports.free();
        tls(port, "hush-hush-hush-hush")
                .run(first -> tls(port, "psst-psst-psst-psst").run(second -> {
                    assertThat(second).hasFailed();
                    assertThat(second.getStartupFailure())
                            .hasStackTraceContaining("secret")
                            .satisfies(failure -> assertThat(failure.toString())
                                    .doesNotContain("hush")
                                    .doesNotContain("psst"));
                }));
    }

    @Test
    void neitherLogsNorExceptionsNorTextsOfSettingsTellASecret(CapturedOutput output) throws IOException {
        String right = "hush-and-say-nothing";
        String wrong = "quite-another-word";
        Logger logger = (Logger) LoggerFactory.getLogger("io.declock");
        Level before = logger.getLevel();
        logger.setLevel(Level.TRACE);
        int port = Ports.free();
        try {
            tls(port, right).run(first -> {
                first.getBean(DistributedReadWriteLock.class)
                        .acquire(LockRequest.write("x"), OWNER)
                        .close();
                assertThat(first.getBean(DecLockProperties.class).toString()).doesNotContain(right);
                assertThat(first.getBean(DecLockConnectionDetails.class).toString())
                        .doesNotContain(right);
                assertThat(TcpFabricSettings.builder().secret(right).build().toString())
                        .doesNotContain(right);
                tls(port, right).run(second -> assertThat(second).hasNotFailed());
                tls(port, wrong).run(second -> {
                    StringWriter text = new StringWriter();
                    second.getStartupFailure().printStackTrace(new PrintWriter(text));
                    assertThat(text.toString()).contains("secret").doesNotContain(right, wrong, "changeit");
                });
            });
        } finally {
            logger.setLevel(before);
        }
        assertThat(output.getAll()).contains("io.declock").doesNotContain(right, wrong, "changeit");
    }

    @Test
    void aConfiguredMemoryNodeThatRefusesTheSecretFailsTheStart() throws IOException {
        int port = Ports.free();
        tls(port, "hush-hush-hush-hush")
                .run(first -> tls(0, "psst-psst-psst-psst")
                        .withPropertyValues("declock.memory-nodes=tcp://127.0.0.1:" + port)
                        .run(second -> {
                            assertThat(second).hasFailed();
                            FailureAnalysis analysis = new MemoryNodeRefusedFailureAnalyzer(first.getEnvironment())
                                    .analyze(second.getStartupFailure());
                            assertThat(analysis).isNotNull();
                            assertThat(analysis.getDescription()).contains("tcp://127.0.0.1:" + port);
                            assertThat(analysis.getAction())
                                    .contains("'declock.secret' is set")
                                    .doesNotContain("hush");
                        }));
    }

    private static ApplicationContextRunner tls(int port, String secret) {
        return Contexts.locks()
                .withPropertyValues(
                        "declock.embedded.port=" + port,
                        "declock.secret=" + secret,
                        "declock.ssl.bundle=locks",
                        "spring.ssl.bundle.jks.locks.keystore.location="
                                + folder.resolve("locks.p12").toUri(),
                        "spring.ssl.bundle.jks.locks.keystore.password=changeit",
                        "spring.ssl.bundle.jks.locks.keystore.type=PKCS12",
                        "spring.ssl.bundle.jks.locks.truststore.location="
                                + folder.resolve("locks.p12").toUri(),
                        "spring.ssl.bundle.jks.locks.truststore.password=changeit",
                        "spring.ssl.bundle.jks.locks.truststore.type=PKCS12");
    }
}
