// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.declock.Counters;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.wire.FrameConnection;
import io.declock.internal.tcp.wire.FrameType;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.Phase;
import io.declock.internal.tcp.wire.Preamble;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestProcess;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Every type of frame, sent in every phase of each connection that a compute node has. What the phase does not allow closes the
 * connection and is counted, whatever the frame contains.
 */
@Timeout(60)
class FramesByPhaseTest {
    private static final byte[] NONCE = Proofs.nonce();
    private static final byte[] TICKET = Proofs.nonce();
    private static final Member SELF = new Member(1, 7, "", "cn");
    private static final Member PEER = new Member(2, 8, "", "peer");

    private final NodeCounters counters = new NodeCounters();
    private final TcpFabric fabric =
            TcpFabric.open(TcpFabricSettings.builder().listen(false).build(), counters);

    /** A connection over no network, between addresses such as a network would give it. */
    private static final class Line extends EmbeddedChannel {
        Line(FrameConnection connection) {
            super(connection);
        }

        @Override
        protected SocketAddress localAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }

        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);
        }

        byte[] sent() {
            ByteBuf all = Unpooled.buffer();
            for (ByteBuf next = readOutbound(); next != null; next = readOutbound()) {
                all.writeBytes(next);
                next.release();
            }
            return ByteBufUtil.getBytes(all);
        }

        void preamble(int role) {
            ByteBuf out = Unpooled.buffer();
            Preamble.of(role, 0, NONCE).write(out);
            writeInbound(out);
        }

        /** Sends a frame without a body. */
        void frame(int type) {
            writeInbound(Unpooled.buffer().writeIntLE(1).writeByte(type));
        }

        void send(FrameConnection.Frame frame) {
            ByteBuf out = Unpooled.buffer();
            frame.write(out);
            writeInbound(out);
        }
    }

    /** A session's connection, and what it says of its end. */
    private final class Session {
        final RecordingListener listener = new RecordingListener();
        final CompletableFuture<ControlSession> joining = new CompletableFuture<>();
        final SessionConnection connection = new SessionConnection(
                fabric,
                "mn",
                new Joining(
                        fabric,
                        new MemoryNodeAddress(TcpFabric.SCHEME, "mn", 1),
                        new JoinRequest(TestProcess.id(), 1, "cn", "", 0, 1_000_000_000L),
                        listener,
                        joining));
        final Line line = new Line(connection);

        Session upTo(Phase phase) {
            byte[] clientNonce = Arrays.copyOfRange(line.sent(), 8, Wire.PREAMBLE_BYTES);
            line.preamble(Wire.ROLE_SESSION);
            if (phase != Phase.COMPUTE_NODE_AWAITS_PROOF) {
                byte[] proof = Proofs.prove(Proofs.keyOf(null), "declock server", clientNonce, NONCE);
                line.send(out -> HandshakeFrames.writeAuthenticated(out, proof));
            }
            if (phase == Phase.COMPUTE_NODE_JOINED) {
                Membership both = new Membership(1, List.of(SELF, PEER));
                JoinReply reply = new JoinReply("mn", 5, "", 1, 7, 8, 4096, 1_000_000_000L, 1, both, NodeSet.NONE);
                line.send(out -> HandshakeFrames.writeJoined(
                        out, new HandshakeFrames.Joined(reply, new byte[Wire.SECRET_BYTES], true), Wire.VERSION));
                assertThat(joining).isCompleted();
            }
            assertThat(line.isOpen()).isTrue();
            return this;
        }

        /** Returns why joining failed, or else why the session ended. */
        String failure() {
            Throwable failed = joining.handle((joined, failure) -> failure).join();
            return String.valueOf(failed != null ? failed : listener.losses);
        }

        TcpSession made() {
            return (TcpSession) joining.join();
        }
    }

    @AfterEach
    void close() {
        fabric.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPUTE_NODE_AWAITS_PROOF", "COMPUTE_NODE_AWAITS_JOINED", "COMPUTE_NODE_JOINED"})
    void aComputeNodeTakesFromAMemoryNodeWhatItsPhaseAllows(Phase phase) {
        for (int type = 0; type < 256; type++) {
            long before = counters.get(Counters.Event.BAD_FRAME);
            Session session = new Session().upTo(phase);
            session.line.frame(type);
            // An empty body is not enough for any of them, so that each ends the connection; the question is why.
            assertThat(session.line.isOpen()).as("open after type %d", type).isFalse();
            assertThat(counters.get(Counters.Event.BAD_FRAME)).isEqualTo(before + 1);
            boolean notAllowed = session.failure().contains("is not allowed");
            FrameType known = FrameType.of(type);
            assertThat(notAllowed).as("%s in %s", known, phase).isEqualTo(known == null || !phase.allows(known));
            if (phase == Phase.COMPUTE_NODE_JOINED) {
                assertThat(session.listener.losses).hasSize(1);
            } else {
                assertThat(session.joining).isCompletedExceptionally();
            }
            session.line.finishAndReleaseAll();
        }
    }

    @Test
    void whatHasNotProvedItselfMayOnlySayThatTheSecretIsWrong() {
        for (int reason = 0; reason < 256; reason++) {
            Session session = new Session().upTo(Phase.COMPUTE_NODE_AWAITS_PROOF);
            byte[] frame = {8, 0, 0, 0, (byte) FrameType.REFUSED.number(), 0, 0, 0, 0, (byte) reason, 0, 0};
            session.line.writeInbound(Unpooled.wrappedBuffer(frame));
            assertThat(session.failure().contains("bad frame"))
                    .as("reason %d", reason)
                    .isEqualTo(reason != 1);
            session.line.finishAndReleaseAll();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ACCEPTING_PEER_AWAITS_PROOF", "CONNECTING_PEER_AWAITS_PROOF", "PEERS"})
    void aPeerTakesFromAnotherWhatItsPhaseAllows(Phase phase) {
        Session own = new Session().upTo(Phase.COMPUTE_NODE_JOINED);
        TcpSession session = own.made();
        for (boolean accepting : new boolean[] {true, false}) {
            for (int type = 0; type < 256; type++) {
                Line line = accepting ? accepted(session, phase) : connected(session, phase);
                long before = counters.get(Counters.Event.BAD_FRAME);
                if (line == null) {
                    continue;
                }
                line.frame(type);
                // A probe and its echo have no body; every other frame has one, and is bad without it.
                FrameType known = FrameType.of(type);
                boolean good = phase == Phase.PEERS && (known == FrameType.PEER_PROBE || known == FrameType.PEER_ECHO);
                assertThat(line.isOpen()).as("open after type %d", type).isEqualTo(good);
                assertThat(counters.get(Counters.Event.BAD_FRAME)).isEqualTo(before + (good ? 0 : 1));
                line.finishAndReleaseAll();
            }
        }
        own.line.finishAndReleaseAll();
    }

    @Test
    void anExceptionThatNobodyExpectsIsLoggedWithItsStackTrace() {
        Logger log = (Logger) LoggerFactory.getLogger(TcpFabric.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        log.addAppender(logged);
        try {
            Session own = new Session().upTo(Phase.COMPUTE_NODE_JOINED);
            for (Line line : List.of(accepted(own.made(), Phase.PEERS), connected(own.made(), Phase.PEERS), own.line)) {
                line.pipeline().fireExceptionCaught(new IllegalStateException("broken"));
                assertThat(line.isOpen()).isFalse();
                line.finishAndReleaseAll();
            }
            assertThat(logged.list)
                    .filteredOn(event -> event.getLevel() == Level.ERROR)
                    .extracting(event -> event.getThrowableProxy().getMessage())
                    .containsExactly("broken", "broken", "broken");
        } finally {
            log.detachAppender(logged);
        }
    }

    private Line accepted(TcpSession session, Phase phase) {
        if (phase == Phase.CONNECTING_PEER_AWAITS_PROOF) {
            return null;
        }
        Line line = new Line(new InboundPeer(fabric));
        line.preamble(Wire.ROLE_PEER);
        if (phase == Phase.PEERS) {
            byte[] serverNonce = Arrays.copyOfRange(line.sent(), 8, Wire.PREAMBLE_BYTES);
            HandshakeFrames.PeerAuth auth = new HandshakeFrames.PeerAuth(
                    5,
                    new MemberId(PEER.nodeId(), PEER.incarnation()),
                    new MemberId(SELF.nodeId(), SELF.incarnation()),
                    Proofs.prove(
                            session.ticketFrom(PEER.nodeId(), PEER.incarnation()),
                            "declock peer client",
                            NONCE,
                            serverNonce));
            line.send(out -> HandshakeFrames.writePeerAuth(out, auth));
        }
        assertThat(line.isOpen()).isTrue();
        return line;
    }

    private Line connected(TcpSession session, Phase phase) {
        if (phase == Phase.ACCEPTING_PEER_AWAITS_PROOF) {
            return null;
        }
        Line line = new Line(new OutboundPeer(fabric, session, PEER, TICKET));
        byte[] clientNonce = Arrays.copyOfRange(line.sent(), 8, Wire.PREAMBLE_BYTES);
        line.preamble(Wire.ROLE_PEER);
        if (phase == Phase.PEERS) {
            byte[] proof = Proofs.prove(TICKET, "declock peer server", clientNonce, NONCE);
            line.send(out -> HandshakeFrames.writeAuthenticated(out, proof));
        }
        assertThat(line.isOpen()).isTrue();
        return line;
    }
}
