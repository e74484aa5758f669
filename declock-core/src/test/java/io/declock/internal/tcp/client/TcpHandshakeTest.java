// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.Counters;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.tcp.wire.ChainFrame;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestChain;
import io.declock.spi.TestProcess;
import io.declock.testkit.Ports;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A side that should not be connected is told why, on both sides, and harms no other connection. */
@Timeout(60)
class TcpHandshakeTest {

    private TcpRig rig;

    private void start(MemoryNodeServerSettings.Builder server) {
        ManualTime time = new ManualTime();
        rig = new TcpRig(
                MemoryNodeSettings.builder("mn")
                        .records(16)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                time,
                server,
                client().build());
    }

    @AfterEach
    void close() {
        if (rig != null) {
            rig.close();
        }
    }

    private static MemoryNodeServerSettings.Builder server() {
        return MemoryNodeServerSettings.builder().secrets(List.of("s3cret-of-sixteen"));
    }

    private static TcpFabricSettings.Builder client() {
        return TcpFabricSettings.builder().secret("s3cret-of-sixteen");
    }

    private static JoinRequest request() {
        return new JoinRequest(TestProcess.id(), 1, "cn", "", 0, 1_000_000_000L);
    }

    private FabricSession join() throws Exception {
        return rig.openFabric(new NodeCounters())
                .join(rig.address(), request(), new RecordingListener())
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    private static FabricException failure(Fabric fabric, MemoryNodeAddress address) throws Exception {
        try {
            fabric.join(address, request(), new RecordingListener())
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(FabricException.class);
            return (FabricException) e.getCause();
        }
        throw new AssertionError("joined");
    }

    @Test
    void theRightSecretIsLetIn() throws Exception {
        start(server());
        assertThat(join().joined().memoryNodeId()).isEqualTo("mn");
    }

    @Test
    void aWrongOrMissingSecretIsRefusedAndNotShown() throws Exception {
        start(server());
        for (String wrong : new String[] {"wrong-one-of-sixteen", "", null}) {
            FabricException failure =
                    failure(rig.openFabric(client().secret(wrong).build(), new NodeCounters()), rig.address());
            assertThat(failure).isInstanceOf(FabricException.Refused.class);
            assertThat(((FabricException.Refused) failure).reason()).isEqualTo(Reason.BAD_SECRET);
            assertThat(failure.getMessage())
                    .contains("declock.secret", rig.address().toString())
                    .doesNotContain("s3cret", "wrong-one");
        }
        assertThat("" + client().build() + server().build()).doesNotContain("s3cret-of-sixteen");
        assertThat(rig.node().status().refusedConnections()).isEqualTo(3);
        assertThat(rig.node().status().sessions()).isEmpty();
    }

    @Test
    void aSecretWhereNoneIsConfiguredIsRefused() throws Exception {
        start(server().secrets(List.of()));
        FabricException failure = failure(rig.openFabric(new NodeCounters()), rig.address());
        assertThat(((FabricException.Refused) failure).reason()).isEqualTo(Reason.BAD_SECRET);
    }

    @Test
    void theMemoryNodeMustKnowTheSecretToo() throws Exception {
        // An impostor that lets everybody in without knowing anything.
        try (Impostor impostor = new Impostor(socket -> {
            socket.getInputStream().readNBytes(Wire.PREAMBLE_BYTES);
            socket.getOutputStream().write(preamble(Versions.OURS));
            socket.getInputStream().readNBytes(5 + Wire.SECRET_BYTES);
            ByteBuf answer = Unpooled.buffer();
            HandshakeFrames.writeAuthenticated(answer, new byte[Wire.SECRET_BYTES]);
            socket.getOutputStream().write(ByteBufUtil.getBytes(answer));
            socket.getInputStream().read();
        })) {
            try (Fabric fabric = TcpFabric.open(client().build(), new NodeCounters())) {
                FabricException failure = failure(fabric, impostor.address());
                assertThat(((FabricException.Refused) failure).reason()).isEqualTo(Reason.BAD_SECRET);
            }
        }
    }

    @Test
    void aMemoryNodeThatSkipsItsProofIsNotJoined() throws Exception {
        for (String secret : new String[] {"s3cret-of-sixteen", null}) {
            NodeCounters counters = new NodeCounters();
            try (Impostor impostor = new Impostor(socket -> {
                        socket.getInputStream().readNBytes(Wire.PREAMBLE_BYTES);
                        ByteBuf out = Unpooled.buffer();
                        out.writeBytes(preamble(Versions.OURS));
                        Membership alone = new Membership(1, List.of(new Member(1, 1, "", "cn")));
                        HandshakeFrames.writeJoined(
                                out,
                                new HandshakeFrames.Joined(
                                        new JoinReply(
                                                "mn", 1, "", 1, 1, 8, 4096, 1_000_000_000L, 1, alone, NodeSet.NONE),
                                        new byte[Wire.SECRET_BYTES],
                                        true),
                                Wire.VERSION);
                        socket.getOutputStream().write(ByteBufUtil.getBytes(out));
                        socket.getInputStream().readAllBytes();
                    });
                    Fabric fabric = TcpFabric.open(client().secret(secret).build(), counters)) {
                assertThat(failure(fabric, impostor.address()))
                        .hasMessageContaining("sent a bad frame")
                        .hasMessageContaining("JOINED");
                assertThat(counters.get(Counters.Event.BAD_FRAME)).isEqualTo(1);
            }
        }
    }

    @Test
    void sidesWithoutACommonVersionNameTheirVersions() throws Exception {
        start(server());
        Versions next = new Versions(Wire.VERSION + 2, Wire.VERSION + 1);
        try (RawSocket socket = new RawSocket(rig.address().port())) {
            byte[] answer = socket.preamble(next, Proofs.nonce());
            assertThat(answer[4]).isEqualTo((byte) Wire.VERSION);
            assertThat(answer[5]).isEqualTo((byte) Wire.OLDEST_VERSION);
            assertThat(answer[7]).isEqualTo((byte) Reason.BAD_VERSION.code());
            assertThat(socket.readAll()).isEmpty();
        }
        assertThat(rig.node().status().refusedConnections()).isEqualTo(1);
        try (Impostor newer = new Impostor(socket -> socket.getOutputStream().write(preamble(next)));
                Fabric fabric = TcpFabric.open(client().build(), new NodeCounters())) {
            FabricException failure = failure(fabric, newer.address());
            assertThat(((FabricException.Refused) failure).reason()).isEqualTo(Reason.BAD_VERSION);
            assertThat(failure.getMessage()).contains(next.toString(), Versions.OURS.toString());
        }
    }

    @Test
    void aMemoryNodeOfAFormerVersionIsSentNoExtendedAtomic() throws Exception {
        Versions former = new Versions(Wire.EXTENDED_ATOMICS_VERSION - 1, Wire.OLDEST_VERSION);
        try (Impostor older = new Impostor(socket -> {
                    byte[] preamble = socket.getInputStream().readNBytes(Wire.PREAMBLE_BYTES);
                    byte[] own = preamble(former);
                    socket.getOutputStream().write(own);
                    socket.getInputStream().readNBytes(5 + Wire.SECRET_BYTES);
                    byte[] proof = Proofs.prove(
                            Proofs.keyOf("s3cret-of-sixteen"), "declock server", nonce(preamble), nonce(own));
                    Membership alone = new Membership(1, List.of(new Member(1, 1, "", "cn")));
                    JoinReply reply = new JoinReply("mn", 1, "", 1, 1, 8, 4096, 1_000_000_000L, 1, alone, NodeSet.NONE);
                    ByteBuf out = Unpooled.buffer();
                    HandshakeFrames.writeAuthenticated(out, proof);
                    HandshakeFrames.writeJoined(
                            out, new HandshakeFrames.Joined(reply, new byte[Wire.SECRET_BYTES], true), former.newest());
                    socket.getOutputStream().write(ByteBufUtil.getBytes(out));
                    socket.getInputStream().readAllBytes();
                });
                Fabric fabric =
                        TcpFabric.open(client().secret("s3cret-of-sixteen").build(), new NodeCounters())) {
            RecordingListener listener = new RecordingListener();
            FabricSession session = fabric.join(older.address(), request(), listener)
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.read(0, 1).maskedFetchAndAdd(0, new long[4]);
            assertThatThrownBy(() -> session.memory().post(chain))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("MASKED_FETCH_AND_ADD")
                    .hasMessageContaining("speaks version 7")
                    .hasMessageContaining("update it");
            assertThat(chain.ends).hasValue(0);
            assertThat(listener.losses).isEmpty();
        }
    }

    private static byte[] nonce(byte[] preamble) {
        return Arrays.copyOfRange(preamble, Wire.PREAMBLE_BYTES - Wire.SECRET_BYTES, Wire.PREAMBLE_BYTES);
    }

    @Test
    void aMemoryNodeServesAServiceOfTheNextVersionThatStillSpeaksThisOne() throws Exception {
        start(server());
        try (RawSocket socket = new RawSocket(rig.address().port())) {
            socket.authenticate(new Versions(Wire.VERSION + 1, Wire.VERSION), "s3cret-of-sixteen");
            socket.send(join("of the next version"));
            ByteBuf head = Unpooled.wrappedBuffer(socket.read(5));
            assertThat(head.skipBytes(4).readByte()).isEqualTo((byte) FrameType.JOINED.number());
        }
    }

    @Test
    void aServiceJoinsAMemoryNodeOfTheNextVersionThatStillSpeaksThisOne() throws Exception {
        CompletableFuture<byte[]> proof = new CompletableFuture<>();
        Versions next = new Versions(Wire.VERSION + 1, Wire.VERSION);
        try (Impostor newer = new Impostor(socket -> {
                    socket.getInputStream().readNBytes(Wire.PREAMBLE_BYTES);
                    socket.getOutputStream().write(preamble(next));
                    proof.complete(socket.getInputStream().readNBytes(5 + Wire.SECRET_BYTES));
                });
                Fabric fabric = TcpFabric.open(client().build(), new NodeCounters())) {
            fabric.join(newer.address(), request(), new RecordingListener());
            assertThat(proof.get(10, TimeUnit.SECONDS)[4]).as("it goes on").isEqualTo((byte) FrameType.AUTH.number());
        }
    }

    @Test
    void aPortThatSpeaksHttpIsNamed() throws Exception {
        try (Impostor http = new Impostor(socket -> socket.getOutputStream()
                        .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                Fabric fabric = TcpFabric.open(client().build(), new NodeCounters())) {
            assertThat(failure(fabric, http.address()).getMessage())
                    .contains(http.address().toString(), "HTTP", "check host and port");
        }
    }

    @Test
    void aPortThatSaysNothingIsGivenUp() throws Exception {
        try (Impostor silent = new Impostor(socket -> socket.getInputStream().readAllBytes());
                Fabric fabric = TcpFabric.open(
                        client().connectTimeout(Duration.ofMillis(300))
                                .requestTimeout(Duration.ofSeconds(1))
                                .build(),
                        new NodeCounters())) {
            assertThat(failure(fabric, silent.address()).getMessage())
                    .contains(silent.address().toString(), "300 ms");
        }
    }

    @Test
    void aPortWhereNobodyListensAndAnUnknownHostAreNamed() throws Exception {
        int port = Ports.free();
        try (Fabric fabric = TcpFabric.open(client().build(), new NodeCounters())) {
            MemoryNodeAddress nobody = new MemoryNodeAddress("tcp", "127.0.0.1", port);
            assertThat(failure(fabric, nobody).getMessage()).contains("cannot connect to memory node " + nobody);
            MemoryNodeAddress unknown = new MemoryNodeAddress("tcp", "no-such-host.invalid", 7420);
            assertThat(failure(fabric, unknown).getMessage()).contains("cannot connect to memory node " + unknown);
        }
    }

    @Test
    void aBrowserIsToldWhatThePortIs() throws Exception {
        start(server());
        try (RawSocket socket = new RawSocket(rig.address().port())) {
            socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(new String(socket.readAll(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 400")
                    .contains("DecLock memory node");
        }
        assertThat(rig.node().status().badFrames()).isEqualTo(1);
    }

    @Test
    void aBadFrameClosesItsConnectionWithAReason() throws Exception {
        start(server());
        byte[][] bad = {
            {0, 0, 0, 0}, // No type.
            {-1, -1, -1, -1, 1}, // Longer than anything.
            {1, 0, 0, 0, (byte) 0xEE}, // No such type.
            {2, 0, 0, 0, 0x03, 1}, // A CHAIN that is cut short.
            {6, 0, 0, 0, 0x04, 1, 0, 0, 0, 99}, // A HEARTBEAT that is too long.
            {13, 0, 0, 0, 0x11, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}, // RECORD_MEMBERS in the middle of a record.
            {13, 0, 0, 0, 0x11, 1, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1}, // RECORD_MEMBERS nowhere.
        };
        for (byte[] bytes : bad) {
            try (RawSocket socket = new RawSocket(rig.address().port())) {
                socket.authenticate("s3cret-of-sixteen");
                socket.send(join("bad"));
                socket.send(bytes);
                // Ends only because the memory node closes.
                assertThat(new String(socket.readAll(), StandardCharsets.ISO_8859_1))
                        .contains("bad frame");
            }
        }
        assertThat(rig.node().status().badFrames()).isEqualTo(bad.length);
    }

    @Test
    void whoDoesNotJoinInTimeIsClosed() throws Exception {
        start(server().handshakeTimeout(Duration.ofMillis(200))
                .stallTimeout(Duration.ofSeconds(5))
                .maxConnections(16)
                .maxPendingBytes(256 * 1024));
        try (RawSocket silent = new RawSocket(rig.address().port());
                RawSocket authenticated = new RawSocket(rig.address().port())) {
            authenticated.authenticate("s3cret-of-sixteen");
            assertThat(silent.readAll()).isEmpty();
            assertThat(authenticated.readAll()).isEmpty();
        }
        assertThat(rig.node().status().refusedConnections()).isEqualTo(2);
    }

    @Test
    void aConnectionThatSendsNoPreambleIsClosedBeforeOneThatOnlyDoesNotJoin() throws Exception {
        start(server().preambleTimeout(Duration.ofMillis(100)).maxNewcomersPerAddress(256));
        try (RawSocket silent = new RawSocket(rig.address().port());
                RawSocket greeted = new RawSocket(rig.address().port())) {
            greeted.preamble(Versions.OURS, Proofs.nonce());
            assertThat(silent.readAll()).isEmpty();
            assertThat(rig.node().status().refusedConnections()).isEqualTo(1);
            greeted.socket().setSoTimeout(300);
            assertThatThrownBy(() -> greeted.read(1)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void oneAddressCannotTakeThePlacesOfAll() throws Exception {
        start(server().preambleTimeout(Duration.ofSeconds(5)).maxNewcomersPerAddress(3));
        List<RawSocket> silent = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            silent.add(new RawSocket(rig.address().port()));
        }
        await().untilAsserted(() ->
                assertThat(rig.node().status().refusedConnections()).isEqualTo(5));
        assertThat(join().joined().nodeId()).isPositive();
        for (RawSocket socket : silent) {
            socket.close();
        }
    }

    @Test
    void silentSocketsDoNotKeepComputeNodesOutOrWaiting() throws Exception {
        start(server().maxNewcomersPerAddress(256));
        List<RawSocket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 600; i++) {
                silent.add(new RawSocket(rig.address().port()));
            }
            // Not yet the 600 that were opened: the memory node accepts them later than the kernel did.
            long began = System.nanoTime();
            join();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
            assertThat(rig.node().status().refusedConnections()).isPositive();
        } finally {
            for (RawSocket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void theOldestConnectionThatProvedNothingMakesRoomForTheNext() throws Exception {
        start(server().handshakeTimeout(Duration.ofSeconds(30))
                .stallTimeout(Duration.ofSeconds(5))
                .maxConnections(8)
                .maxPendingBytes(256 * 1024));
        FabricSession first = join();
        RawSocket[] idle = new RawSocket[8];
        for (int i = 0; i < idle.length; i++) {
            idle[i] = new RawSocket(rig.address().port());
        }
        // Half of the connections may wait; each further one costs the oldest its place.
        await().untilAsserted(() ->
                assertThat(rig.node().status().refusedConnections()).isEqualTo(4));
        for (int i = 0; i < 4; i++) {
            assertThat(idle[i].readAll()).isEmpty();
        }
        first.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(join().joined().nodeId()).isPositive();
        assertThat(idle[4].readAll()).isEmpty();
        // The rest are as they were.
        assertThat(idle[5].preamble(Versions.OURS, Proofs.nonce())).hasSize(Wire.PREAMBLE_BYTES);
        for (RawSocket socket : idle) {
            socket.close();
        }
    }

    @Test
    void whoDoesNotReadItsAnswersIsClosed() throws Exception {
        start(server().handshakeTimeout(Duration.ofSeconds(5))
                .stallTimeout(Duration.ofMillis(300))
                .maxConnections(16)
                .maxPendingBytes(64 * 1024));
        FabricSession good = join();
        long record = good.control()
                .resolve("x")
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .record();
        try (RawSocket slow = new RawSocket(rig.address().port())) {
            slow.socket().setReceiveBufferSize(4096);
            slow.authenticate("s3cret-of-sixteen");
            slow.send(join("slow"));
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
                try {
                    for (int i = 0; ; i++) {
                        slow.send(manyReads(record, i));
                    }
                } catch (IOException e) {
                    // What is waited for: the other side closed.
                }
            });
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(rig.node().status().slowReaders()).isEqualTo(1));
            writing.get(20, TimeUnit.SECONDS);
        }
        good.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void membershipsDoNotPileUpForWhoDoesNotRead() throws Exception {
        start(server().handshakeTimeout(Duration.ofSeconds(5))
                .stallTimeout(Duration.ofSeconds(20))
                .maxConnections(16)
                .maxPendingBytes(64 * 1024));
        FabricSession good = join();
        long record = good.control()
                .resolve("x")
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .record();
        try (RawSocket slow = new RawSocket(rig.address().port())) {
            slow.authenticate("s3cret-of-sixteen");
            slow.send(join("slow"));
            AtomicInteger sent = new AtomicInteger();
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
                try {
                    while (true) {
                        slow.send(manyReads(record, sent.get()));
                        sent.incrementAndGet();
                    }
                } catch (IOException e) {
                    // The test is over.
                }
            });
            int before = -1;
            while (before != sent.get()) {
                before = sent.get();
                TimeUnit.MILLISECONDS.sleep(100);
            }
            long version = 0;
            for (int i = 0; i < 500; i++) {
                // One process that joins again and again: each time the members are others.
                JoinRequest again = new JoinRequest(7, i + 1, "restless", "", 0, 1_000_000_000L);
                version = rig.node()
                        .join(again, new RecordingListener())
                        .members()
                        .version();
            }
            assertThat(memberships(slow, version)).as("memberships told").isLessThan(20);
            slow.close();
            writing.get(20, TimeUnit.SECONDS);
        }
    }

    /** Reads frames up to a membership of that version; returns how many there were. */
    private static int memberships(RawSocket socket, long upTo) throws IOException {
        int count = 0;
        while (true) {
            ByteBuf head = Unpooled.wrappedBuffer(socket.read(4));
            ByteBuf body = Unpooled.wrappedBuffer(socket.read(head.readIntLE()));
            if (body.readByte() == FrameType.MEMBERSHIP_CHANGE.number()) {
                count++;
                body.skipBytes(8);
                if (body.readLongLE() >= upTo) {
                    return count;
                }
            }
        }
    }

    private static FrameConnection.Frame join(String name) {
        return out ->
                HandshakeFrames.writeJoin(out, new JoinRequest(TestProcess.id(), 1, name, "", 0, 1_000_000_000L), "");
    }

    /** A hundred small requests with large answers: the region's first records. Their numbers follow those of as many requests as often before. */
    private static byte[] manyReads(long record, int before) {
        ByteBuf out = Unpooled.buffer();
        for (int i = 100 * before; i < 100 * (before + 1); i++) {
            ChainFrame.writeChain(
                    out, i, 0, TestChain.forPurpose(Purpose.INSPECT).read(record, 200));
        }
        return ByteBufUtil.getBytes(out);
    }

    private static byte[] preamble(Versions versions) {
        byte[] bytes = new byte[Wire.PREAMBLE_BYTES];
        bytes[0] = 'D';
        bytes[1] = 'C';
        bytes[2] = 'L';
        bytes[3] = 'K';
        bytes[4] = (byte) versions.newest();
        bytes[5] = (byte) versions.oldest();
        bytes[6] = Wire.ROLE_SESSION;
        return bytes;
    }

    /** A server that treats one connection as it likes. */
    private static final class Impostor implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 4, InetAddress.getLoopbackAddress());
        private final Thread thread;

        interface Talk {
            void with(Socket socket) throws IOException;
        }

        Impostor(Talk talk) throws IOException {
            thread = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    talk.with(socket);
                    OutputStream out = socket.getOutputStream();
                    out.flush();
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // The test is over.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        MemoryNodeAddress address() {
            return new MemoryNodeAddress("tcp", "127.0.0.1", server.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
