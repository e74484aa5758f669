// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.TcpFabricSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.internal.tcp.wire.BadFrameException;
import io.declock.internal.tcp.wire.FrameBody;
import io.declock.internal.tcp.wire.FrameSample;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Malformed, truncated, oversized and random frames against the decoders and a live memory node. Seeds are in the messages; a
 * single one replays with {@code -Ddeclock.fuzz.seed=N}.
 */
@Tag("slow")
@Timeout(120)
class TcpFuzzTest {
    private static final int DECODER_SEEDS = 200_000;
    private static final int SERVER_SEEDS = 400;

    private static final FrameType[] TYPES = FrameType.values();

    private static long firstSeed() {
        return Long.getLong("declock.fuzz.seed", 1);
    }

    private static int seeds(int usual) {
        return Long.getLong("declock.fuzz.seed") == null ? usual : 1;
    }

    @Test
    void decodersSayBadFrameAndNothingElse() {
        for (long seed = firstSeed(); seed < firstSeed() + seeds(DECODER_SEEDS); seed++) {
            Random random = new Random(seed);
            // The frame lies inside a larger buffer: reading past its end would not be noticed by the buffer.
            byte[] around = new byte[random.nextInt(300) + 8];
            random.nextBytes(around);
            if (random.nextBoolean()) {
                // Small counts get further.
                for (int i = 0; i < around.length; i += 1 + random.nextInt(3)) {
                    around[i] = (byte) random.nextInt(3);
                }
            }
            int start = random.nextInt(4);
            int length = random.nextInt(around.length - start);
            ByteBuf buffer = Unpooled.wrappedBuffer(around);
            FrameBody body = new FrameBody().wrap(buffer, start, length);
            try {
                FrameSample.of(TYPES[random.nextInt(TYPES.length)], random).read(body);
            } catch (BadFrameException e) {
                // The one answer that is right.
            } catch (RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
    }

    @Test
    void aLiveMemoryNodeSurvivesAnythingAndOthersAreUnharmed() throws Exception {
        RecordLayout layout = new RecordLayout(8);
        MemoryNodeSettings settings = MemoryNodeSettings.builder("mn")
                .records(64)
                .queueCapacity(8)
                .waitOutOldSessions(false)
                // Node ids of fuzzed sessions must become free again: leases are short, and time is moved below.
                .maxLease(Duration.ofSeconds(1))
                .leaseMargin(Duration.ofMillis(100))
                .build();
        ManualTime time = new ManualTime();
        try (TcpRig rig = new TcpRig(settings, time, MemoryNodeServerSettings.builder(), TcpFabricSettings.DEFAULTS)) {
            RecordingListener listener = new RecordingListener();
            FabricSession good = rig.openFabric(new NodeCounters())
                    .join(rig.address(), new JoinRequest(TestProcess.id(), 1, "good", "", 0, 1_000_000_000L), listener)
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            long record = good.control()
                    .resolve("mine")
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS)
                    .record();
            long expected = 0;
            for (long seed = firstSeed(); seed < firstSeed() + seeds(SERVER_SEEDS); seed++) {
                attack(rig.address().port(), new Random(seed), record);
                TestChain chain = TestChain.forPurpose(Purpose.INSPECT);
                // A word that the attacks below never write: the entry before the last.
                chain.fetchAndAdd(layout.entry(record, 6), 1);
                long found = chain.runOn(good)[0][0];
                assertThat(found).as("seed %d", seed).isEqualTo(expected == 0 ? -1 : expected - 1);
                expected++;
                time.advance(Duration.ofMillis(300));
                good.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
            }
            assertThat(listener.losses).isEmpty();
            assertThat(rig.node().status().badFrames()).isPositive();
            await().untilAsserted(() -> {
                time.advance(Duration.ofMillis(100));
                good.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
                assertThat(rig.node().status().sessions()).hasSize(1);
            });
        }
    }

    @Test
    void aComputeNodeSurvivesAMemoryNodeThatSendsAnything() throws Exception {
        TcpFabricSettings settings = TcpFabricSettings.builder()
                .connectTimeout(Duration.ofSeconds(5))
                .requestTimeout(Duration.ofMillis(100))
                .build();
        try (TcpFabric fabric = TcpFabric.open(settings, new NodeCounters())) {
            for (long seed = firstSeed(); seed < firstSeed() + seeds(40); seed++) {
                RecordingListener listener = new RecordingListener();
                try (MadMemoryNode mad = new MadMemoryNode(new Random(seed))) {
                    FabricSession session = fabric.join(
                                    new MemoryNodeAddress("tcp", "127.0.0.1", mad.port()),
                                    new JoinRequest(TestProcess.id(), 1, "good", "", 0, 1_000_000_000L),
                                    listener)
                            .toCompletableFuture()
                            .get(10, TimeUnit.SECONDS);
                    TestChain chain = TestChain.forPurpose(Purpose.INSPECT);
                    chain.read(0, 4);
                    session.memory().post(chain);
                    String about = "seed " + seed;
                    await(about)
                            .pollInterval(Duration.ofMillis(5))
                            .untilAsserted(() -> assertThat(listener.losses).hasSize(1));
                    await(about).untilAsserted(() -> assertThat(chain.ends).hasValue(1));
                }
            }
        }
    }

    /** Lets one compute node join properly, then sends what it likes. */
    private static final class MadMemoryNode implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

        MadMemoryNode(Random random) throws IOException {
            Thread thread = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    talk(socket, random);
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // The compute node has closed.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private static void talk(Socket socket, Random random) throws IOException {
            byte[] hello = socket.getInputStream().readNBytes(Wire.PREAMBLE_BYTES);
            byte[] clientNonce = java.util.Arrays.copyOfRange(hello, 8, Wire.PREAMBLE_BYTES);
            byte[] nonce = Proofs.nonce();
            ByteBuf out = Unpooled.buffer();
            Preamble.of(Wire.ROLE_SESSION, 0, nonce).write(out);
            HandshakeFrames.writeAuthenticated(
                    out, Proofs.prove(Proofs.keyOf(""), "declock server", clientNonce, nonce));
            Membership alone = new Membership(1, List.of(new Member(1, 1, "", "good")));
            HandshakeFrames.writeJoined(
                    out,
                    new HandshakeFrames.Joined(
                            new JoinReply("mad", 1, "", 1, 1, 8, 4096, 1_000_000_000L, 1, alone, NodeSet.NONE),
                            new byte[Wire.SECRET_BYTES],
                            random.nextBoolean()),
                    Wire.VERSION);
            for (int i = 0; i < 1 + random.nextInt(6); i++) {
                byte[] body = bytes(random, random.nextInt(80));
                out.writeIntLE(1 + body.length)
                        .writeByte(0x40 + random.nextInt(19))
                        .writeBytes(body);
            }
            if (random.nextInt(4) == 0) {
                out.writeBytes(bytes(random, random.nextInt(40)));
            }
            socket.getOutputStream().write(ByteBufUtil.getBytes(out));
            if (random.nextInt(3) == 0) {
                socket.shutdownOutput();
            }
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private static void attack(int port, Random random, long record) throws IOException {
        try (RawSocket socket = new RawSocket(port)) {
            int depth = random.nextInt(4);
            if (depth == 0) {
                socket.send(bytes(random, random.nextInt(200)));
            } else if (depth == 1) {
                socket.preamble(
                        random.nextInt(4) == 0 ? new Versions(random.nextInt(256), random.nextInt(256)) : Versions.OURS,
                        1 + random.nextInt(4),
                        new byte[Wire.SECRET_BYTES]);
                socket.sendFrame(random.nextInt(256), bytes(random, random.nextInt(64)));
            } else {
                socket.authenticate("");
                if (depth == 3) {
                    socket.send(out -> HandshakeFrames.writeJoin(
                            out, new JoinRequest(TestProcess.id(), 1, "bad", "", 0, 1_000_000_000L), ""));
                }
                for (int i = 0; i < 1 + random.nextInt(5); i++) {
                    frame(socket, random, record);
                }
            }
            if (random.nextBoolean()) {
                socket.socket().shutdownOutput();
            }
        } catch (IOException e) {
            // The node has closed the connection: that is its right.
            if (e instanceof java.net.SocketTimeoutException) {
                throw e;
            }
        }
    }

    private static byte[] bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void frame(RawSocket socket, Random random, long record) throws IOException {
        switch (random.nextInt(6)) {
            // Any type with random content.
            case 0 -> socket.sendFrame(random.nextInt(20), bytes(random, random.nextInt(100)));
            // A length that is a lie: huge, negative, or longer than what follows.
            case 1 -> {
                ByteBuf out = Unpooled.buffer();
                int[] lies = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, Wire.MAX_REQUEST_BYTES + 1, 5_000};
                out.writeIntLE(lies[random.nextInt(lies.length)])
                        .writeByte(FrameType.CHAIN.number())
                        .writeZero(random.nextInt(50));
                socket.send(ByteBufUtil.getBytes(out));
            }
            // A chain with random verbs near and far from the region, never on the good session's word.
            case 2, 3 -> socket.sendFrame(FrameType.CHAIN.number(), chain(random, record));
            // A good frame of any type, perhaps with one byte changed.
            case 4 -> socket.send(changed(random));
            // A good frame cut short, or with something added.
            default -> {
                byte[] good = chain(random, record);
                socket.sendFrame(
                        FrameType.CHAIN.number(), java.util.Arrays.copyOf(good, random.nextInt(good.length + 8)));
            }
        }
    }

    private static byte[] changed(Random random) {
        FrameType type = TYPES[random.nextInt(TYPES.length)];
        ByteBuf out = Unpooled.buffer();
        // A good chain could reach the good session's word.
        FrameSample.of(type == FrameType.CHAIN ? FrameType.RESOLVE : type, random)
                .write(out);
        byte[] frame = ByteBufUtil.getBytes(out);
        frame[random.nextInt(frame.length)] ^= (byte) (random.nextInt(4) << random.nextInt(7));
        return frame;
    }

    private static byte[] chain(Random random, long record) {
        ByteBuf out = Unpooled.buffer();
        int verbs = random.nextInt(8) == 0 ? random.nextInt(256) : 1 + random.nextInt(3);
        out.writeIntLE(random.nextInt()).writeByte(verbs);
        for (int i = 0; i < Math.min(verbs, 5); i++) {
            int op = random.nextInt(8) == 0 ? random.nextInt(256) : Wire.OP_READ;
            out.writeByte(op == Wire.OP_WRITE ? Wire.OP_READ : op);
            out.writeLongLE(random.nextBoolean() ? record + random.nextInt(64) : random.nextLong());
            out.writeShortLE(random.nextBoolean() ? random.nextInt(12) : random.nextInt(65_536));
        }
        return ByteBufUtil.getBytes(out);
    }
}
