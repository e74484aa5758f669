// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.Counters.Event;
import io.declock.TcpFabricSettings;
import io.declock.TlsMaterial;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.Fabric;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.testkit.TestCertificates;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS that does not fit is refused with a hint at what to do. */
@Timeout(60)
class TcpTlsHandshakeTest {
    @TempDir
    private static Path folder;

    private static KeyStore memoryNode;
    private static KeyStore elsewhere;
    private static KeyStore computeNode;

    private TcpRig rig;

    @BeforeAll
    static void certificates() throws Exception {
        memoryNode = TestCertificates.create(folder, "memory-node", "127.0.0.1");
        elsewhere = TestCertificates.create(folder, "elsewhere", "elsewhere.example");
        computeNode = TestCertificates.create(folder, "compute-node", "compute-node.example");
    }

    private void start(@Nullable SSLContext tls, @Nullable SSLParameters parameters) {
        rig = TcpNodes.rig(MemoryNodeServerSettings.builder().tls(TlsMaterial.of(tls, parameters)));
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private FabricSession join(
            @Nullable SSLContext tls, @Nullable SSLContext listening, NodeCounters counters, RecordingListener listener)
            throws Exception {
        Fabric fabric = rig.openFabric(
                TcpFabricSettings.builder()
                        .clientTls(TlsMaterial.of(tls, null))
                        .serverTls(TlsMaterial.of(listening, null))
                        .build(),
                counters);
        return TcpNodes.beginToJoin(fabric, rig.address(), "cn", listener).get(10, TimeUnit.SECONDS);
    }

    private FabricSession join(@Nullable SSLContext tls) throws Exception {
        return join(tls, null, new NodeCounters(), new RecordingListener());
    }

    @Test
    void plainTextToATlsPortIsExplained() throws Exception {
        start(TestCertificates.context(memoryNode), null);
        assertThatThrownBy(() -> join(null))
                .hasMessageContaining("TLS")
                .hasMessageContaining(rig.address().toString());
        await().untilAsserted(() ->
                assertThat(rig.node().status().refusedConnections()).isEqualTo(1));
    }

    @Test
    void tlsToAPlainTextPortIsExplained() throws Exception {
        start(null, null);
        SSLContext client = TestCertificates.context(computeNode, memoryNode);
        assertThatThrownBy(() -> join(client)).hasMessageContaining("TLS");
        assertThat(rig.node().status().badFrames()).isEqualTo(1);
    }

    @Test
    void anUntrustedCertificateIsRefused() throws Exception {
        start(TestCertificates.context(memoryNode), null);
        SSLContext client = TestCertificates.context(computeNode, elsewhere);
        assertThatThrownBy(() -> join(client)).hasMessageContaining("trusted");
    }

    @Test
    void aCertificateForAnotherHostIsRefused() throws Exception {
        start(TestCertificates.context(elsewhere), null);
        SSLContext client = TestCertificates.context(computeNode, elsewhere);
        assertThatThrownBy(() -> join(client)).hasMessageContaining("names this host");
    }

    @Test
    void aClientWithoutATrustedCertificateIsRefusedWhereOneIsNeeded() throws Exception {
        start(TestCertificates.context(memoryNode, computeNode), MutualTls.parameters());
        assertThat(join(TestCertificates.context(computeNode, memoryNode))
                        .joined()
                        .memoryNodeId())
                .isEqualTo("mn");
        assertThatThrownBy(() -> join(TestCertificates.context(elsewhere, memoryNode)))
                .hasMessageContaining("joining");
        await().untilAsserted(() ->
                assertThat(rig.node().status().refusedConnections()).isEqualTo(1));
    }

    @Test
    void peersTalkDirectlyOverTlsAlthoughTheirCertificatesNameOtherHosts() throws Exception {
        start(TestCertificates.context(memoryNode), null);
        SSLContext client = TestCertificates.context(computeNode, memoryNode, computeNode);
        NodeCounters counters = new NodeCounters();
        RecordingListener listener = new RecordingListener();
        FabricSession a = join(client, client, counters, new RecordingListener());
        FabricSession b = join(client, client, new NodeCounters(), listener);
        sendUntilDirect(a, b, listener, counters);
    }

    @Test
    void withoutACertificateOfItsOwnAComputeNodeDoesNotListenInPlainText() throws Exception {
        start(TestCertificates.context(memoryNode), null);
        FabricSession a = join(TestCertificates.context(computeNode, memoryNode));
        assertThat(a.joined().membership().members())
                .extracting(Member::peerAddress)
                .containsExactly("");
    }

    private static void sendUntilDirect(
            FabricSession a, FabricSession b, RecordingListener listener, NodeCounters counters) {
        Member to = b.joined().membership().byNodeId(b.joined().nodeId());
        JoinReply from = a.joined();
        PeerMessage message = new PeerMessage(
                PeerMessage.Kind.GRANT,
                from.memoryNodeIncarnation(),
                from.nodeId(),
                from.incarnation(),
                to.nodeId(),
                to.incarnation(),
                1,
                2,
                3,
                4);
        await().untilAsserted(() -> {
            a.send(to, message);
            assertThat(listener.messages.poll(10, TimeUnit.SECONDS)).isEqualTo(message);
            assertThat(counters.get(Event.PEER_DIRECT)).isPositive();
        });
    }
}
