// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.declock.Counters.Event;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.FabricSession;
import io.declock.spi.RecordingListener;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TestCertificates;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Secrets and certificates are replaced while everything runs, and bad ones are refused before anything runs. */
@Timeout(60)
class SecretRotationTest {
    private static final String OLD = "the-former-secret";
    private static final String NEW = "the-present-secret";

    @TempDir
    static Path folder;

    private @Nullable TcpRig rig;

    private TcpRig start(MemoryNodeServerSettings.Builder server) {
        rig = TcpNodes.rig(server);
        return rig;
    }

    @AfterEach
    void close() {
        if (rig != null) {
            rig.close();
        }
    }

    private static FabricSession join(TcpRig rig, TcpFabric fabric, RecordingListener listener) throws Exception {
        return join(rig.address(), fabric, listener);
    }

    private static FabricSession join(MemoryNodeAddress address, TcpFabric fabric, RecordingListener listener)
            throws Exception {
        return TcpNodes.beginToJoin(fabric, address, "cn", listener).get(10, TimeUnit.SECONDS);
    }

    private static @Nullable Reason refusal(TcpRig rig, TcpFabric fabric) throws Exception {
        try {
            join(rig, fabric, new RecordingListener()).close();
            return null;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(FabricException.Refused.class);
            return ((FabricException.Refused) e.getCause()).reason();
        }
    }

    @Test
    void aSecretIsReplacedWithoutRestartingAnybody() throws Exception {
        TcpRig running = start(MemoryNodeServerSettings.builder().secrets(List.of(OLD)));
        try (TcpFabric a =
                        TcpFabric.open(TcpFabricSettings.builder().secret(OLD).build(), new NodeCounters());
                TcpFabric b =
                        TcpFabric.open(TcpFabricSettings.builder().secret(OLD).build(), new NodeCounters())) {
            RecordingListener listener = new RecordingListener();
            FabricSession standing = join(running, a, listener);
            // First every memory node accepts both, ...
            running.server().replaceSecrets(List.of(NEW, OLD));
            assertThat(refusal(running, b)).isNull();
            // ... then compute nodes change, one after the other, ...
            b.replaceSecret(NEW);
            assertThat(refusal(running, b)).isNull();
            assertThat(refusal(running, a)).isNull();
            a.replaceSecret(NEW);
            // ... and last the former one is forgotten.
            running.server().replaceSecrets(List.of(NEW));
            assertThat(refusal(running, a)).isNull();
            b.replaceSecret(OLD);
            assertThat(refusal(running, b)).isEqualTo(Reason.BAD_SECRET);
            standing.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
            assertThat(listener.losses).isEmpty();
        }
    }

    /** A session's next connection proves the secret of that moment, and not the one with which the session began. */
    @Test
    void aSessionIsResumedWhileTheSecretIsReplacedAndAfterwards() throws Exception {
        TcpRig running = start(MemoryNodeServerSettings.builder().secrets(List.of(OLD)));
        NodeCounters counters = new NodeCounters();
        RecordingListener listener = new RecordingListener();
        try (TcpProxy proxy = new TcpProxy(running.server().port());
                TcpFabric fabric =
                        TcpFabric.open(TcpFabricSettings.builder().secret(OLD).build(), counters)) {
            FabricSession session =
                    join(new MemoryNodeAddress(TcpFabric.SCHEME, "127.0.0.1", proxy.port()), fabric, listener);
            running.server().replaceSecrets(List.of(NEW, OLD));
            proxy.sever();
            await().until(() -> counters.get(Event.SESSION_RESUMED) == 1);
            fabric.replaceSecret(NEW);
            running.server().replaceSecrets(List.of(NEW));
            proxy.sever();
            await().until(() -> counters.get(Event.SESSION_RESUMED) == 2);
            session.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
            assertThat(listener.losses).isEmpty();
        }
    }

    @Test
    void aSecretThatIsTooShortIsRefusedAndNotShownAndChangesNothing() throws Exception {
        String tooShort = "only-fifteen-ch";
        TcpRig running = start(MemoryNodeServerSettings.builder().secrets(List.of(OLD)));
        try (TcpFabric fabric =
                TcpFabric.open(TcpFabricSettings.builder().secret(OLD).build(), new NodeCounters())) {
            List<Runnable> ways = List.of(
                    () -> MemoryNodeServerSettings.builder()
                            .secrets(List.of(tooShort))
                            .build(),
                    () -> MemoryNodeServerSettings.builder()
                            .secrets(List.of(OLD, tooShort))
                            .build(),
                    () -> TcpFabricSettings.builder().secret(tooShort).build(),
                    () -> running.server().replaceSecrets(List.of(tooShort)),
                    () -> fabric.replaceSecret(tooShort));
            for (Runnable way : ways) {
                assertThatIllegalArgumentException()
                        .isThrownBy(way::run)
                        .withMessageContaining("15 characters")
                        .withMessageContaining("at least 16")
                        .withMessageContaining("openssl rand")
                        .withMessageNotContaining(tooShort);
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MemoryNodeServerSettings.builder()
                            .secrets(List.of(OLD, NEW, OLD))
                            .build());
            assertThat(refusal(running, fabric)).isNull();
        }
        assertThat(MemoryNodeServerSettings.builder()
                        .secrets(List.of(""))
                        .build()
                        .secrets())
                .isEmpty();
        assertThat(TcpFabricSettings.builder().secret("").build().secret()).isNull();
    }

    @Test
    void clientCertificatesAreNotDemandedInPlainText() {
        SSLParameters need = MutualTls.parameters();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MemoryNodeServerSettings.builder()
                        .tls(TlsMaterial.of(null, need))
                        .build())
                .withMessageContaining("client certificates are demanded")
                .withMessageContaining("no TLS context");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TcpFabricSettings.builder()
                        .serverTls(TlsMaterial.of(null, need))
                        .build());
        assertThat(MemoryNodeServerSettings.builder()
                        .tls(TlsMaterial.of(null, null))
                        .build()
                        .tls())
                .isNull();
    }

    @Test
    void certificatesAreReplacedWhileConnectionsStand() throws Exception {
        KeyStore first = TestCertificates.create(folder, "first", "127.0.0.1");
        KeyStore second = TestCertificates.create(folder, "second", "127.0.0.1");
        SSLContext[] own = {TestCertificates.context(first), TestCertificates.context(second)};
        AtomicReference<SSLContext> served = new AtomicReference<>(own[0]);
        AtomicReference<SSLContext> trusted = new AtomicReference<>(TestCertificates.context(first, first));
        TcpRig running = start(MemoryNodeServerSettings.builder().tls(new TlsMaterial(served::get, null)));
        TcpFabricSettings client = TcpFabricSettings.builder()
                .clientTls(new TlsMaterial(trusted::get, null))
                .build();
        try (TcpFabric fabric = TcpFabric.open(client, new NodeCounters())) {
            RecordingListener listener = new RecordingListener();
            FabricSession standing = join(running, fabric, listener);
            served.set(own[1]);
            assertThat(joins(running, fabric))
                    .as("with what is not trusted yet")
                    .isFalse();
            trusted.set(TestCertificates.context(first, second));
            assertThat(joins(running, fabric)).isTrue();
            standing.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
            assertThat(listener.losses).isEmpty();
        }
    }

    private static boolean joins(TcpRig rig, TcpFabric fabric) throws Exception {
        try {
            join(rig, fabric, new RecordingListener()).close();
            return true;
        } catch (ExecutionException e) {
            return false;
        }
    }
}
