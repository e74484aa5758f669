// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.memorynode.NodeCounts;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.ValueFrames;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.TestProcess;
import io.declock.spi.ValueWriting;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Every type of frame, sent in every phase of a connection to a memory node. */
@Timeout(60)
class ServerFramesByPhaseTest {
    private static final byte[] NONCE = Proofs.nonce();

    private final ManualTime time = new ManualTime();
    private final MemoryNode node = MemoryNode.create(
            MemoryNodeSettings.builder("mn")
                    .records(16)
                    .queueCapacity(8)
                    .waitOutOldSessions(false)
                    .maxLease(Duration.ofSeconds(1))
                    .leaseMargin(Duration.ofMillis(100))
                    .build(),
            time,
            time,
            () -> 42);
    private final ServerContext server = new ServerContext(node, MemoryNodeServerSettings.DEFAULTS, null);

    @AfterEach
    void close() {
        node.close();
    }

    private static byte[] sent(EmbeddedChannel line) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf next = line.readOutbound(); next != null; next = line.readOutbound()) {
            all.writeBytes(next);
            next.release();
        }
        return ByteBufUtil.getBytes(all);
    }

    private static void send(EmbeddedChannel line, FrameConnection.Frame frame) {
        ByteBuf out = Unpooled.buffer();
        frame.write(out);
        line.writeInbound(out);
    }

    private EmbeddedChannel upTo(Phase phase) {
        boolean asked =
                phase == Phase.ASKED_MEMORY_NODE_AWAITS_PROOF || phase == Phase.ASKED_MEMORY_NODE_AWAITS_QUESTION;
        EmbeddedChannel line = new EmbeddedChannel(new ServerConnection(server));
        byte[] serverNonce = greet(line, asked ? Wire.ROLE_MEMORY_NODE : Wire.ROLE_SESSION);
        if (phase != Phase.MEMORY_NODE_AWAITS_PROOF && phase != Phase.ASKED_MEMORY_NODE_AWAITS_PROOF) {
            prove(line, asked ? ProbeConnection.ASKING : "declock client", serverNonce);
        }
        if (phase == Phase.MEMORY_NODE_SERVES) {
            JoinRequest join = new JoinRequest(TestProcess.id(), 1, "cn", "", 0, 1_000_000_000L);
            send(line, out -> HandshakeFrames.writeJoin(out, join, join.peerAddress()));
            assertThat(node.status().sessions()).isNotEmpty();
        }
        sent(line);
        assertThat(line.isOpen()).isTrue();
        return line;
    }

    private static byte[] greet(EmbeddedChannel line, int role) {
        ByteBuf hello = Unpooled.buffer();
        Preamble.of(role, 0, NONCE).write(hello);
        line.writeInbound(hello);
        byte[] answer = sent(line);
        assertThat(answer[6]).isEqualTo((byte) role);
        return Arrays.copyOfRange(answer, 8, Wire.PREAMBLE_BYTES);
    }

    private static void prove(EmbeddedChannel line, String label, byte[] serverNonce) {
        byte[] proof = Proofs.prove(Proofs.keyOf(null), label, NONCE, serverNonce);
        send(line, out -> HandshakeFrames.writeAuth(out, proof));
    }

    /** With one proof for both roles, a process that a memory node asks could pass that proof on to another memory node and join there. */
    @Test
    void theProofOfAMemoryNodeThatAsksIsNoneOfAComputeNodeAndTheOtherWayRound() {
        for (int role : new int[] {Wire.ROLE_SESSION, Wire.ROLE_MEMORY_NODE}) {
            for (String label : new String[] {"declock client", ProbeConnection.ASKING}) {
                EmbeddedChannel line = new EmbeddedChannel(new ServerConnection(server));
                prove(line, label, greet(line, role));
                assertThat(line.isOpen())
                        .as("role %d with '%s'", role, label)
                        .isEqualTo((role == Wire.ROLE_MEMORY_NODE) == label.equals(ProbeConnection.ASKING));
                line.finishAndReleaseAll();
            }
        }
    }

    /** What arrives on it late, after its session was cut or goes on with another connection, changes nothing (rule V1). */
    @Test
    void aConnectionThatIsNotItsSessionsAnyMoreStoresNoValue() {
        EmbeddedChannel line = upTo(Phase.MEMORY_NODE_SERVES);
        send(line, out -> ControlFrames.writeResolve(out, 1, "x".getBytes(StandardCharsets.UTF_8)));
        long record = 0;
        long epoch = node.region().read(node.layout().epoch(record));
        node.region().execute(Verb.FETCH_AND_ADD, node.layout().header(record), LockHeader.acquire(true), 0);
        store(line, new ValueWriting(record, epoch, 0, 7, new byte[] {1}));
        assertThat(node.counts().get(NodeCounts.Kind.VALUE_STORED)).isEqualTo(1);

        Member member = node.status().sessions().get(0).member();
        MemberId id = new MemberId(member.nodeId(), member.incarnation());
        byte[] key = server.tickets().keyOf(member);
        ServerSession serving =
                server.sessionToResume(HandshakeFrames.Resume.prove(key, node.incarnation(), id, 1, 0, NONCE, NONCE));
        serving.disconnected(line.pipeline().get(ServerConnection.class), false);
        store(line, new ValueWriting(record, epoch, 0, 7, new byte[] {2}));
        assertThat(node.counts().get(NodeCounts.Kind.VALUE_STORED)).isEqualTo(1);
        assertThat(line.isOpen()).isTrue();
        line.finishAndReleaseAll();
    }

    private static void store(EmbeddedChannel line, ValueWriting writing) {
        send(line, out -> ValueFrames.writeWriteValue(out, 2, writing));
    }

    @Test
    void anExceptionThatNobodyExpectsIsLoggedWithItsStackTrace() {
        Logger log = (Logger) LoggerFactory.getLogger(MemoryNodeServer.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        log.addAppender(logged);
        try {
            EmbeddedChannel line = upTo(Phase.MEMORY_NODE_SERVES);
            line.pipeline().fireExceptionCaught(new IllegalStateException("broken"));
            assertThat(line.isOpen()).isFalse();
            assertThat(logged.list)
                    .filteredOn(event -> event.getLevel() == Level.ERROR)
                    .singleElement()
                    .satisfies(event ->
                            assertThat(event.getThrowableProxy().getMessage()).isEqualTo("broken"));
            line.finishAndReleaseAll();
        } finally {
            log.detachAppender(logged);
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "MEMORY_NODE_AWAITS_PROOF",
                "MEMORY_NODE_AWAITS_JOIN",
                "MEMORY_NODE_SERVES",
                "ASKED_MEMORY_NODE_AWAITS_PROOF",
                "ASKED_MEMORY_NODE_AWAITS_QUESTION"
            })
    void aMemoryNodeTakesWhatItsPhaseAllows(Phase phase) {
        for (int type = 0; type < 256; type++) {
            long before = node.status().badFrames();
            EmbeddedChannel line = upTo(phase);
            line.writeInbound(Unpooled.buffer().writeIntLE(1).writeByte(type));
            FrameType known = FrameType.of(type);
            // An empty body is not enough for any of them, so that each ends the connection; the question is why.
            assertThat(line.isOpen()).as("open after type %d", type).isFalse();
            assertThat(node.status().badFrames()).isEqualTo(before + 1);
            assertThat(new String(sent(line), StandardCharsets.ISO_8859_1).contains("is not allowed"))
                    .as("%s in %s", known, phase)
                    .isEqualTo(known == null || !phase.allows(known));
            line.finishAndReleaseAll();
            // Node ids become free again.
            time.advance(Duration.ofSeconds(3));
        }
    }
}
