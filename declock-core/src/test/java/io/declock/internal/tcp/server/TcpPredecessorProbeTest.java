// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.TlsMaterial;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.PredecessorAnswer;
import io.declock.internal.memorynode.PredecessorAnswer.Kind;
import io.declock.internal.tcp.wire.EventLoops;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.ManualTime;
import io.declock.testkit.Ports;
import io.declock.testkit.TestCertificates;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How one memory node asks another who it is. */
@Tag("slow")
@Timeout(60)
class TcpPredecessorProbeTest {
    private static final String PRESENT = "present-secret-of-some";
    private static final String FORMER = "former-secret-of-some";
    private static final byte[] NONCE = Proofs.nonce();

    private final ManualTime time = new ManualTime();
    private final MemoryNode asking = node();
    private final MemoryNode asked = node();
    private final EventLoops loops = EventLoops.start(1, 0, "asking");
    private final List<AutoCloseable> open = new ArrayList<>();

    private MemoryNode node() {
        return MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(16)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                time,
                time,
                () -> ThreadLocalRandom.current().nextLong());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        loops.close();
        asking.close();
        asked.close();
    }

    private int serve(MemoryNodeServerSettings.Builder settings) throws IOException {
        MemoryNodeServer server =
                MemoryNodeServer.start(asked, settings.host("127.0.0.1").port(0).build());
        open.add(server);
        return server.port();
    }

    private PredecessorAnswer ask(MemoryNodeServerSettings.Builder settings, int port) throws Exception {
        CompletableFuture<PredecessorAnswer> told = new CompletableFuture<>();
        new TcpPredecessorProbe(new ServerContext(asking, settings.build(), null), loops)
                .ask("127.0.0.1:" + port, told::complete);
        return told.get(10, TimeUnit.SECONDS);
    }

    private void assertFound(MemoryNodeServerSettings.Builder asks, MemoryNodeServerSettings.Builder serves)
            throws Exception {
        assertThat(ask(asks, serve(serves))).isEqualTo(PredecessorAnswer.memoryNode("mn", asked.incarnation()));
        assertThat(asked.status().badFrames()).isZero();
        assertThat(asked.status().sessions()).isEmpty();
    }

    private static MemoryNodeServerSettings.Builder secrets(String... secrets) {
        return MemoryNodeServerSettings.builder().secrets(List.of(secrets));
    }

    @Test
    void whoKnowsTheSecretIsFound() throws Exception {
        assertFound(secrets(), secrets());
        assertFound(secrets(PRESENT), secrets(PRESENT));
    }

    @Test
    void whoKnowsOneOfTwoSecretsIsFound() throws Exception {
        assertFound(secrets(PRESENT, FORMER), secrets(FORMER));
        assertFound(secrets(PRESENT), secrets(FORMER, PRESENT));
    }

    @Test
    void whoKnowsNoSecretOfItsIsNobody() throws Exception {
        PredecessorAnswer answer = ask(secrets(PRESENT), serve(secrets(FORMER)));
        assertThat(answer.kind()).isEqualTo(Kind.NOBODY);
        assertThat(answer.detail()).contains("secret");
    }

    @Test
    void whereNobodyListensIsNobody() throws Exception {
        assertThat(ask(secrets(), Ports.free()).kind()).isEqualTo(Kind.NOBODY);
    }

    @Test
    void somethingElseIsNobody() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread http = new Thread(() -> {
                try (Socket client = socket.accept()) {
                    client.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    client.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // It has closed.
                }
            });
            http.setDaemon(true);
            http.start();
            PredecessorAnswer answer = ask(secrets(), socket.getLocalPort());
            assertThat(answer.kind()).isEqualTo(Kind.NOBODY);
            assertThat(answer.detail()).contains("HTTP");
        }
    }

    /** The kernel of a process that stands still lets everybody in. */
    @Test
    void whoLetsConnectionsInAndSaysNothingHasNotAnswered() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertThat(ask(secrets(), socket.getLocalPort()).kind()).isEqualTo(Kind.NO_ANSWER);
        }
    }

    // ---------------------------------------------------------------- TLS

    private static SSLParameters needed() {
        SSLParameters parameters = new SSLParameters();
        parameters.setNeedClientAuth(true);
        return parameters;
    }

    /** A memory node has no need to trust any certificate, not even that of its former life. */
    @Test
    void underTlsTheSecretSaysWhoItIs(@TempDir Path folder) throws Exception {
        SSLContext former = TestCertificates.context(TestCertificates.create(folder, "former", "mn.example"));
        SSLContext later = TestCertificates.context(TestCertificates.create(folder, "later", "mn.example"));
        assertFound(
                secrets(PRESENT).tls(TlsMaterial.of(later, null)),
                secrets(PRESENT).tls(TlsMaterial.of(former, null)));
        assertThat(ask(secrets(PRESENT), serve(secrets(PRESENT).tls(TlsMaterial.of(former, null))))
                        .kind())
                .as("one that does not share TLS")
                .isNotEqualTo(Kind.MEMORY_NODE);
    }

    @Test
    void whereCertificatesOfClientsAreNeededItShowsItsOwnAndDemandsATrustedOne(@TempDir Path folder) throws Exception {
        KeyStore former = TestCertificates.create(folder, "former", "mn.example");
        KeyStore later = TestCertificates.create(folder, "later", "mn.example");
        SSLContext knowsLater = TestCertificates.context(former, later);
        assertFound(
                secrets().tls(TlsMaterial.of(TestCertificates.context(later, former), needed())),
                secrets().tls(TlsMaterial.of(knowsLater, needed())));
        PredecessorAnswer untrusted = ask(
                secrets().tls(TlsMaterial.of(TestCertificates.context(later, later), needed())),
                serve(secrets().tls(TlsMaterial.of(knowsLater, needed()))));
        assertThat(untrusted.kind()).isEqualTo(Kind.NOBODY);
    }

    // ---------------------------------------------------------------- frames by phase

    private static byte[] sent(EmbeddedChannel line) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf next = line.readOutbound(); next != null; next = line.readOutbound()) {
            all.writeBytes(next);
            next.release();
        }
        return ByteBufUtil.getBytes(all);
    }

    /** Sends a frame without a body. */
    private static void frame(EmbeddedChannel line, int type) {
        line.writeInbound(Unpooled.buffer().writeIntLE(1).writeByte(type));
    }

    private static void authenticated(EmbeddedChannel line, byte[] proof) {
        ByteBuf out = Unpooled.buffer();
        HandshakeFrames.writeAuthenticated(out, proof);
        line.writeInbound(out);
    }

    @ParameterizedTest
    @EnumSource(names = {"ASKING_MEMORY_NODE_AWAITS_PROOF", "ASKING_MEMORY_NODE_AWAITS_ANSWER"})
    void itTakesWhatItsPhaseAllows(Phase phase) {
        ServerContext server = new ServerContext(asking, MemoryNodeServerSettings.DEFAULTS, null);
        byte[] key = Proofs.keyOf(null);
        for (int type = 0; type < 256; type++) {
            List<PredecessorAnswer> answers = new ArrayList<>();
            EmbeddedChannel line = new EmbeddedChannel(new ProbeConnection(
                    server, key, answers::add, () -> answers.add(PredecessorAnswer.nobody("secret"))));
            byte[] nonce = Arrays.copyOfRange(sent(line), 8, Wire.PREAMBLE_BYTES);
            ByteBuf hello = Unpooled.buffer();
            Preamble.of(Wire.ROLE_MEMORY_NODE, 0, NONCE).write(hello);
            line.writeInbound(hello);
            if (phase == Phase.ASKING_MEMORY_NODE_AWAITS_ANSWER) {
                authenticated(line, Proofs.prove(key, ProbeConnection.ASKED, nonce, NONCE));
            }
            assertThat(line.isOpen()).isTrue();
            frame(line, type);
            FrameType known = FrameType.of(type);
            assertThat(line.isOpen()).as("open after type %d", type).isFalse();
            assertThat(answers).as("type %d", type).hasSize(1);
            assertThat(answers.get(0).kind())
                    .as("type %d", type)
                    .isEqualTo(known == FrameType.GOODBYE ? Kind.NO_ANSWER : Kind.NOBODY);
            assertThat(answers.get(0).detail().contains("is not allowed"))
                    .as("%s in %s", known, phase)
                    .isEqualTo(known == null || !phase.allows(known));
            line.finishAndReleaseAll();
        }
    }

    @Test
    void whoCannotProveThatItKnowsTheSecretIsNobody() {
        ServerContext server = new ServerContext(asking, MemoryNodeServerSettings.DEFAULTS, null);
        byte[] key = Proofs.keyOf(null);
        // The proof of a session's other side, passed on, and none at all.
        for (String label : new String[] {"declock server", ProbeConnection.ASKING, "made up"}) {
            List<PredecessorAnswer> answers = new ArrayList<>();
            EmbeddedChannel line = new EmbeddedChannel(new ProbeConnection(server, key, answers::add, () -> {}));
            byte[] nonce = Arrays.copyOfRange(sent(line), 8, Wire.PREAMBLE_BYTES);
            ByteBuf hello = Unpooled.buffer();
            Preamble.of(Wire.ROLE_MEMORY_NODE, 0, NONCE).write(hello);
            line.writeInbound(hello);
            authenticated(line, Proofs.prove(key, label, nonce, NONCE));
            assertThat(line.isOpen()).as(label).isFalse();
            assertThat(answers).extracting(PredecessorAnswer::kind).containsExactly(Kind.NOBODY);
            line.finishAndReleaseAll();
        }
    }
}
