// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.Counters;
import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestProcess;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names of hosts are looked up where nobody else waits, and only by whom they were given to. */
@Timeout(60)
class NameLookUpTest {
    private static final Duration SHORT = Duration.ofMillis(800);

    private final CountDownLatch answer = new CountDownLatch(1);
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Queue<String> threads = new ConcurrentLinkedQueue<>();
    private TcpRig rig;

    @BeforeEach
    void start() {
        rig = new TcpRig(
                MemoryNodeSettings.builder("mn")
                        .records(16)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                new ManualTime(),
                MemoryNodeServerSettings.builder(),
                TcpFabricSettings.DEFAULTS);
    }

    @AfterEach
    void close() {
        answer.countDown();
        rig.close();
    }

    /** A name service that is slow with some names, and knows some others. */
    private InetAddress lookUp(String host) throws UnknownHostException {
        asked.add(host);
        threads.add(Thread.currentThread().getName());
        if (host.startsWith("slow")) {
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new UnknownHostException("interrupted");
            }
        }
        return switch (host) {
            case "me.example" -> InetAddress.getByName("192.0.2.9");
            case "node.example", "slow-node.example" -> InetAddress.getByName("127.0.0.1");
            default -> throw new UnknownHostException(host);
        };
    }

    private FabricSession join(TcpFabric fabric, String host) throws Exception {
        return begin(fabric, host).get(10, TimeUnit.SECONDS);
    }

    private CompletableFuture<FabricSession> begin(TcpFabric fabric, String host) {
        return fabric.join(
                        new MemoryNodeAddress("tcp", host, rig.address().port()),
                        new JoinRequest(TestProcess.id(), 1, "cn", "", 0, 0, 1_000_000_000L),
                        new RecordingListener())
                .toCompletableFuture();
    }

    private static String advertisedBy(FabricSession session) throws Exception {
        return session.control()
                .members()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .byNodeId(session.joined().nodeId())
                .peerAddress();
    }

    @Test
    void aNameThatIsLookedUpForLongCostsNoOtherSessionAHeartbeat() throws Exception {
        TcpFabricSettings oneLoop = TcpFabricSettings.builder()
                .connectTimeout(SHORT)
                .requestTimeout(Duration.ofSeconds(5))
                .build();
        try (TcpFabric fabric = TcpFabric.open(oneLoop, new NodeCounters(), this::lookUp)) {
            FabricSession session = join(fabric, "node.example");
            CompletableFuture<FabricSession> slow = begin(fabric, "slow-node.example");
            await().until(() -> asked.contains("slow-node.example"));
            for (int i = 0; i < 20; i++) {
                session.control().heartbeat().toCompletableFuture().get(1, TimeUnit.SECONDS);
            }
            assertThatThrownBy(() -> slow.get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("slow-node.example")
                    .hasMessageContaining("800 ms")
                    .hasMessageContaining("was not resolved");
            // A further attempt does not take a second thread for the same name.
            assertThatThrownBy(() -> begin(fabric, "slow-node.example").get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("was not resolved");
            assertThat(asked.stream().filter("slow-node.example"::equals)).hasSize(1);
            assertThat(threads).allMatch(name -> name.startsWith("declock-name-look-up"));
            answer.countDown();
            await().untilAsserted(() -> assertThat(
                            join(fabric, "slow-node.example").joined().memoryNodeId())
                    .isEqualTo("mn"));
        }
    }

    @Test
    void manySlowNamesOccupyABoundedNumberOfThreadsAndAddressesNeedNone() throws Exception {
        try (TcpFabric fabric = TcpFabric.open(
                TcpFabricSettings.builder()
                        .connectTimeout(SHORT)
                        .requestTimeout(Duration.ofSeconds(5))
                        .build(),
                new NodeCounters(),
                this::lookUp)) {
            for (int i = 0; i < HostAddresses.MOST_AT_A_TIME; i++) {
                begin(fabric, "slow-" + i + ".example");
            }
            assertThatThrownBy(() -> begin(fabric, "node.example").get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("names are being looked up");
            assertThat(join(fabric, "127.0.0.1").joined().memoryNodeId()).isEqualTo("mn");
        }
    }

    @Test
    void theAddressOfAConfiguredNameIsAdvertised() throws Exception {
        try (TcpFabric fabric = TcpFabric.open(
                TcpFabricSettings.builder().peerHost("me.example:31000").build(), new NodeCounters(), this::lookUp)) {
            assertThat(fabric.peerAddress()).isEmpty();
            assertThat(advertisedBy(join(fabric, "127.0.0.1"))).isEqualTo("192.0.2.9:31000");
            assertThat(fabric.peerAddress()).isEqualTo("192.0.2.9:31000");
        }
    }

    @Test
    void aPortThatIsNoneIsRefused() {
        for (String wrong : new String[] {"me.example:", "me.example:x", "me.example:0", "[fd00::7]:65536"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> TcpFabric.open(
                                    TcpFabricSettings.builder().peerHost(wrong).build(),
                                    new NodeCounters(),
                                    this::lookUp)
                            .close())
                    .withMessageContaining(wrong);
        }
    }

    @Test
    void aNameWithoutAnAddressOrWithASlowOneIsNotAdvertised() throws Exception {
        for (String name : new String[] {"nobody.example", "slow.example"}) {
            try (TcpFabric fabric = TcpFabric.open(
                    TcpFabricSettings.builder()
                            .peerHost(name)
                            .connectTimeout(SHORT)
                            .requestTimeout(Duration.ofSeconds(5))
                            .build(),
                    new NodeCounters(),
                    this::lookUp)) {
                assertThat(advertisedBy(join(fabric, "127.0.0.1"))).isEmpty();
            }
        }
    }

    @Test
    void aNameThatAPeerAdvertisesIsNotLookedUp() throws Exception {
        NodeCounters counters = new NodeCounters();
        RecordingListener listener = new RecordingListener();
        try (TcpFabric a = TcpFabric.open(TcpFabricSettings.DEFAULTS, counters, this::lookUp);
                TcpFabric b = TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters(), this::lookUp)) {
            FabricSession from = join(a, "127.0.0.1");
            FabricSession to = b.join(
                            rig.address(),
                            new JoinRequest(TestProcess.id(), 1, "b", "", 0, 0, 1_000_000_000L),
                            listener)
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            // A name that this machine knows: a look-up, whoever made it, would find the peer.
            String port = b.peerAddress().substring(b.peerAddress().lastIndexOf(':') + 1);
            Member named = new Member(to.joined().nodeId(), to.joined().incarnation(), "localhost:" + port, "b");
            for (int i = 0; i < 200; i++) {
                from.send(
                        named,
                        new PeerMessage(
                                PeerMessage.Kind.GRANT,
                                from.joined().memoryNodeIncarnation(),
                                from.joined().nodeId(),
                                from.joined().incarnation(),
                                named.nodeId(),
                                named.incarnation(),
                                1,
                                2,
                                i,
                                3));
                assertThat(listener.messages.poll(10, TimeUnit.SECONDS)).isNotNull();
            }
            assertThat(counters.get(Counters.Event.PEER_DIRECT)).isZero();
            assertThat(asked).isEmpty();
        }
    }
}
