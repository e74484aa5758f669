// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.declock.Counters.Event;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.wire.HandshakeFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.Proofs;
import io.declock.internal.tcp.wire.Versions;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.JoinReply;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.testkit.Ports;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Direction;
import io.declock.testkit.TcpProxy.Flow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Messages between compute nodes: directly where that works, else through the memory node. */
@Tag("slow")
@Timeout(60)
class TcpPeersTest extends TcpNodes {
    private Node open(String name, TcpFabricSettings settings) throws Exception {
        NodeCounters counters = new NodeCounters();
        return new Node(name, rig.openFabric(settings, counters), counters);
    }

    private Node open(String name) throws Exception {
        return open(name, TcpFabricSettings.DEFAULTS);
    }

    private Node openBehind(TcpProxy proxy) throws Exception {
        return open(
                "b",
                TcpFabricSettings.builder()
                        .peerHost("127.0.0.1:" + proxy.port())
                        .peerPort(proxy.target())
                        .build());
    }

    /** Sends until one message went the direct way. */
    private static void sendUntilDirect(Node from, Node to) throws Exception {
        long before = from.counters.get(Event.PEER_DIRECT);
        Member receiver = to.self();
        await().untilAsserted(() -> {
            from.session.send(receiver, from.to(receiver, 1));
            assertThat(to.listener.messages.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(from.counters.get(Event.PEER_DIRECT)).isGreaterThan(before);
        });
    }

    @Test
    void theFirstMessageIsRelayedAndLaterOnesGoDirectly() throws Exception {
        Node a = open("a");
        Node b = open("b");
        Member toB = b.self();
        assertThat(toB.peerAddress()).startsWith("127.0.0.1:");
        a.session.send(toB, a.to(toB, 7));
        assertThat(b.listener.messages.poll(10, TimeUnit.SECONDS)).isEqualTo(a.to(toB, 7));
        assertThat(a.counters.get(Event.PEER_RELAYED)).isEqualTo(1);
        sendUntilDirect(a, b);
        // The answer takes the connection that stands.
        b.session.send(a.self(), b.to(a.self(), 8));
        assertThat(a.listener.messages.poll(10, TimeUnit.SECONDS)).isEqualTo(b.to(a.self(), 8));
        assertThat(b.counters.get(Event.PEER_RELAYED)).isZero();
        assertThat(b.counters.get(Event.PEER_DIRECT)).isEqualTo(1);
    }

    @Test
    void whoDoesNotListenIsReachedThroughTheMemoryNode() throws Exception {
        Node a = open("a");
        Node b = open("b", TcpFabricSettings.builder().listen(false).build());
        Member toB = b.self();
        assertThat(toB.peerAddress()).isEmpty();
        for (int i = 0; i < 10; i++) {
            a.session.send(toB, a.to(toB, i));
            assertThat(b.listener.messages.poll(10, TimeUnit.SECONDS)).isEqualTo(a.to(toB, i));
        }
        assertThat(a.counters.get(Event.PEER_DIRECT)).isZero();
        assertThat(rig.node().status().relayed()).isEqualTo(10);
    }

    @Test
    void whoCannotBeReachedDirectlyIsReachedThroughTheMemoryNode() throws Exception {
        int closedPort = Ports.free();
        Node a = open("a");
        Node b = open("b");
        // An address that a firewall or a wrong setting makes useless.
        Member wrong = new Member(b.self().nodeId(), b.self().incarnation(), "127.0.0.1:" + closedPort, "b");
        for (int i = 0; i < 50; i++) {
            a.session.send(wrong, a.to(wrong, i));
            assertThat(b.listener.messages.poll(10, TimeUnit.SECONDS)).isEqualTo(a.to(wrong, i));
        }
        assertThat(a.counters.get(Event.PEER_DIRECT)).isZero();
        // Once the way is open it is found, after the pause.
        sendUntilDirect(a, b);
    }

    /** Both come from another process. */
    @Test
    void neitherNameNorAddressOfAPeerForgesALineOfTheLog() throws Exception {
        Logger log = (Logger) LoggerFactory.getLogger(TcpFabric.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        log.addAppender(logged);
        try {
            Node a = open("a");
            Node b = open("b");
            Member forging = new Member(b.self().nodeId(), b.self().incarnation(), "no\naddress", "b\nERROR forged");
            a.session.send(forging, a.to(forging, 1));
            assertThat(b.listener.messages.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(logged.list)
                    .filteredOn(event -> event.getFormattedMessage().contains("are relayed"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage())
                            .contains("'b\\u000aERROR forged'", "'no\\u000aaddress'")
                            .doesNotContain("\n"));
        } finally {
            log.detachAppender(logged);
        }
    }

    @Test
    void aPeerThatClosesEveryConnectionIsTriedAtGrowingIntervals() throws Exception {
        try (ServerSocket closing = new ServerSocket(0)) {
            AtomicInteger tries = new AtomicInteger();
            Thread peer = new Thread(() -> {
                while (!closing.isClosed()) {
                    try {
                        closing.accept().close();
                        tries.incrementAndGet();
                    } catch (IOException e) {
                        // The test is over.
                    }
                }
            });
            peer.start();
            Node a = open("a");
            Node b = open(
                    "b",
                    TcpFabricSettings.builder()
                            .peerHost("127.0.0.1:" + closing.getLocalPort())
                            .build());
            Member toB = b.self();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            for (int i = 0; System.nanoTime() < end; i++) {
                a.session.send(toB, a.to(toB, i));
                assertThat(b.listener.messages.poll(10, TimeUnit.SECONDS)).isNotNull();
            }
            // At once, and after pauses of 100, 200 and 400 ms.
            assertThat(tries.get()).isBetween(1, 5);
            closing.close();
            peer.join();
        }
    }

    @Test
    void aConfiguredAddressIsAdvertised() throws Exception {
        int port = Ports.free();
        Node a = open(
                "a",
                TcpFabricSettings.builder().peerHost("192.0.2.7").peerPort(port).build());
        assertThat(a.self().peerAddress()).isEqualTo("192.0.2.7:" + port);
        assertThat(a.fabric.peerAddress()).isEqualTo("192.0.2.7:" + port);
    }

    @Test
    void aPortThatIsMappedIsAdvertisedInPlaceOfTheOneListenedOn() throws Exception {
        Node a = open(
                "a", TcpFabricSettings.builder().peerHost("192.0.2.7:31000").build());
        assertThat(a.self().peerAddress()).isEqualTo("192.0.2.7:31000");
        Node b = open(
                "b", TcpFabricSettings.builder().peerHost("[fd00::7]:31000").build());
        assertThat(b.self().peerAddress()).isEqualTo("[fd00::7]:31000");
        Node c = open("c", TcpFabricSettings.builder().peerHost("fd00::7").build());
        assertThat(c.self().peerAddress()).startsWith("[fd00::7]:").doesNotEndWith(":31000");
    }

    @Test
    void peersAreListenedForOnTheConfiguredInterfaceOnly() throws Exception {
        Node a = open("a", TcpFabricSettings.builder().peerBindHost("127.0.0.2").build());
        int port = Integer.parseInt(a.self().peerAddress().split(":")[1]);
        assertThat(a.self().peerAddress()).isEqualTo("127.0.0.2:" + port);
        assertThatThrownBy(() -> new RawSocket(port)).isInstanceOf(ConnectException.class);
        Node b = open("b");
        sendUntilDirect(b, a);
        assertThatThrownBy(() -> rig.openFabric(
                        TcpFabricSettings.builder().peerBindHost("192.0.2.1").build(), new NodeCounters()))
                .hasMessageContaining("cannot listen for peers on 192.0.2.1");
    }

    @Test
    void aPeerThatStopsReadingIsReachedThroughTheMemoryNodeAndNothingPilesUp() throws Exception {
        try (TcpProxy proxy = new TcpProxy(Ports.free())) {
            Node a = open("a");
            Node b = openBehind(proxy);
            sendUntilDirect(a, b);
            proxy.set(Flow.HELD);
            long directly = a.counters.get(Event.PEER_DIRECT);
            Member toB = b.self();
            // For three seconds, and far more than sockets take.
            for (int i = 0; i < 300_000; i++) {
                a.session.send(toB, a.to(toB, i));
                if (i % 100 == 0) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
            }
            assertThat(a.counters.get(Event.PEER_DIRECT) - directly)
                    .as("sent into a connection that nobody reads")
                    .isLessThan(150_000);
            PeerMessage awaited = a.to(toB, 1_000_001);
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                a.session.send(toB, awaited);
                assertThat(b.listener.messages).contains(awaited);
            });
            assertThat(a.listener.losses).isEmpty();
            assertThat(b.listener.losses).isEmpty();
        }
    }

    @Test
    void aWayThatSilentlyLosesOneDirectionIsGivenUp() throws Exception {
        for (Direction direction : Direction.values()) {
            try (TcpProxy proxy = new TcpProxy(Ports.free())) {
                Node a = open("a");
                Node b = openBehind(proxy);
                sendUntilDirect(a, b);
                proxy.set(direction, Flow.LOST);
                PeerMessage awaited = a.to(b.self(), 77);
                await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
                    a.session.send(b.self(), awaited);
                    b.session.send(a.self(), b.to(a.self(), 78));
                    assertThat(b.listener.messages).contains(awaited);
                    assertThat(a.listener.messages).contains(b.to(a.self(), 78));
                });
                assertThat(a.listener.losses).isEmpty();
            }
        }
    }

    @Test
    void aPeerWithoutTheTicketIsNotListenedTo() throws Exception {
        Node a = open("a");
        Node b = open("b");
        int port = Integer.parseInt(b.self().peerAddress().split(":")[1]);
        JoinReply joinedA = a.session.joined();
        JoinReply joinedB = b.session.joined();
        byte[] nonce = Proofs.nonce();
        try (RawSocket socket = new RawSocket(port)) {
            ByteBuf hello = Unpooled.buffer();
            new io.declock.internal.tcp.wire.Preamble(Wire.MAGIC, Versions.OURS, Wire.ROLE_PEER, 0, nonce).write(hello);
            socket.send(ByteBufUtil.getBytes(hello));
            byte[] answer = socket.read(Wire.PREAMBLE_BYTES);
            byte[] serverNonce = java.util.Arrays.copyOfRange(answer, 8, Wire.PREAMBLE_BYTES);
            // It knows the shared secret and everything else but what the memory node gave to a.
            HandshakeFrames.PeerAuth auth = new HandshakeFrames.PeerAuth(
                    joinedA.memoryNodeIncarnation(),
                    new MemberId(joinedA.nodeId(), joinedA.incarnation()),
                    new MemberId(joinedB.nodeId(), joinedB.incarnation()),
                    Proofs.prove(Proofs.keyOf(null), "declock peer client", nonce, serverNonce));
            socket.send(out -> HandshakeFrames.writePeerAuth(out, auth));
            assertThat(socket.readAll()).isEmpty();
        }
        assertThat(b.counters.get(Event.BAD_FRAME)).isEqualTo(1);
        assertThat(b.listener.messages).isEmpty();
        assertThat(b.listener.losses).isEmpty();
    }

    @Test
    void aMessageInTheNameOfAnotherEndsTheSessionAtTheMemoryNode() throws Exception {
        Node a = open("a");
        Node b = open("b");
        a.session.control().relay(b.to(b.self(), 1));
        await().untilAsserted(() -> assertThat(a.listener.losses).hasSize(1));
        assertThat(a.listener.losses.get(0).getMessage()).contains("in the name of another");
        assertThat(b.listener.messages).isEmpty();
        assertThat(rig.node().status().badFrames()).isEqualTo(1);
    }

    @Test
    void whenAPeerLeavesItsConnectionGoesAndANewIncarnationIsReached() throws Exception {
        Node a = open("a");
        Node b = open("b");
        sendUntilDirect(a, b);
        b.session.control().leave().toCompletableFuture().get(10, TimeUnit.SECONDS);
        Node again = open("b");
        sendUntilDirect(a, again);
        assertThat(a.listener.losses).isEmpty();
    }
}
