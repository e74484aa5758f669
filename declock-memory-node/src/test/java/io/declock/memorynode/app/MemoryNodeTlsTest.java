// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.declock.LockHandle;
import io.declock.LockRequest;
import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.internal.node.ComputeNode;
import io.declock.testkit.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** TLS by an SSL bundle. The certificate is made by the JDK's keytool, and trusts itself. */
@ExtendWith(OutputCaptureExtension.class)
class MemoryNodeTlsTest {
    private static final String BUNDLE = "spring.ssl.bundle.jks.node.";

    @TempDir
    Path folder;

    private Path store;
    private KeyStore former;

    @BeforeEach
    void makeCertificate() throws Exception {
        former = TestCertificates.create(folder, "node", "127.0.0.1");
        store = folder.resolve("node.p12");
    }

    private RunningNode start(String clientAuth, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "declock.memory-node.wait-out-old-sessions=false",
                BUNDLE + "keystore.location=file:" + store,
                BUNDLE + "keystore.password=changeit",
                BUNDLE + "keystore.type=PKCS12",
                BUNDLE + "truststore.location=file:" + store,
                BUNDLE + "truststore.password=changeit",
                BUNDLE + "truststore.type=PKCS12",
                "declock.memory-node.ssl.bundle=node",
                "declock.memory-node.ssl.client-auth=" + clientAuth));
        properties.addAll(List.of(more));
        return RunningNode.start(properties.toArray(String[]::new));
    }

    @Test
    void servesWhoTrustsItsCertificateAndNobodyInPlainText(CapturedOutput output) throws Exception {
        try (RunningNode running = start("none")) {
            SSLContext tls = running.bean(SslBundles.class).getBundle("node").createSslContext();
            assertThat(output).contains("TLS on").contains("Every program that reaches port");
            try (ComputeNode service = running.computeNode(TcpFabricSettings.builder()
                    .clientTls(TlsMaterial.of(tls, null))
                    .build())) {
                assertThat(service.awaitReady(Duration.ofSeconds(10))).isTrue();
                try (LockHandle handle = service.acquire(LockRequest.write("order:42"))) {
                    assertThat(handle.isValid()).isTrue();
                }
            }
            try (ComputeNode plain = running.computeNode(TcpFabricSettings.DEFAULTS)) {
                assertThat(plain.awaitReady(Duration.ofSeconds(1))).isFalse();
            }
        }
    }

    @Test
    void asksForACertificateIfItIsToldTo(CapturedOutput output) throws Exception {
        try (RunningNode running = start("need")) {
            SSLContext tls = running.bean(SslBundles.class).getBundle("node").createSslContext();
            assertThat(output).contains("TLS on").doesNotContain("Every program that reaches port");
            try (ComputeNode service = running.computeNode(TcpFabricSettings.builder()
                    .clientTls(TlsMaterial.of(tls, null))
                    .build())) {
                assertThat(service.awaitReady(Duration.ofSeconds(10))).isTrue();
            }
            SSLContext anonymous = SSLContext.getInstance("TLS");
            anonymous.init(null, trust(running), null);
            try (ComputeNode service = running.computeNode(TcpFabricSettings.builder()
                    .clientTls(TlsMaterial.of(anonymous, null))
                    .build())) {
                assertThat(service.awaitReady(Duration.ofSeconds(1))).isFalse();
            }
        }
    }

    @Test
    void newConnectionsSeeACertificateThatCameMeanwhile() throws Exception {
        KeyStore later = TestCertificates.create(folder, "later", "127.0.0.1");
        SSLContext trustsFormer = TestCertificates.context(former, former);
        SSLContext trustsLater = TestCertificates.context(former, later);
        try (RunningNode running =
                start("none", BUNDLE + "reload-on-update=true", "spring.ssl.bundle.watch.file.quiet-period=100ms")) {
            assertThat(joins(running, trustsFormer)).isTrue();
            assertThat(joins(running, trustsLater)).isFalse();
            Files.move(folder.resolve("later.p12"), store, StandardCopyOption.REPLACE_EXISTING);
            await().atMost(Duration.ofSeconds(30)).until(() -> joins(running, trustsLater));
            assertThat(joins(running, trustsFormer)).isFalse();
        }
    }

    private static boolean joins(RunningNode running, SSLContext tls) throws Exception {
        try (ComputeNode service = running.computeNode(
                TcpFabricSettings.builder().clientTls(TlsMaterial.of(tls, null)).build())) {
            return service.awaitReady(Duration.ofSeconds(2));
        }
    }

    private static javax.net.ssl.TrustManager[] trust(RunningNode running) {
        return running.bean(SslBundles.class).getBundle("node").getManagers().getTrustManagers();
    }
}
