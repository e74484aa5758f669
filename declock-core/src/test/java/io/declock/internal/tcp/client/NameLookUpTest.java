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
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.spi.FabricSession;
import io.declock.spi.Member;
import io.declock.spi.RecordingListener;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names of hosts are looked up where nobody else waits, and only by whom they were given to. */
@Timeout(60)
class NameLookUpTest extends TcpNodes {
    private static final Duration SHORT = Duration.ofMillis(800);

    private final CountDownLatch answer = new CountDownLatch(1);
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Queue<String> threads = new ConcurrentLinkedQueue<>();

    @AfterEach
    void endLookUps() {
        answer.countDown();
    }

    /** A name service that is slow with some names, and knows some others. */
    private InetAddress[] lookUp(String host) throws UnknownHostException {
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
            case "me.example" -> InetAddress.getAllByName("192.0.2.9");
            case "node.example", "slow-node.example" -> InetAddress.getAllByName("127.0.0.1");
            // Nobody listens at the first one.
            case "both.example" ->
                new InetAddress[] {InetAddress.getByName("127.0.0.2"), InetAddress.getByName("127.0.0.1")};
            default -> throw new UnknownHostException(host);
        };
    }

    private TcpFabric open(TcpFabricSettings.Builder settings) {
        return TcpFabric.open(settings.build(), new NodeCounters(), this::lookUp);
    }

    private static TcpFabricSettings.Builder impatient() {
        return TcpFabricSettings.builder().connectTimeout(SHORT).requestTimeout(Duration.ofSeconds(5));
    }

    private FabricSession join(TcpFabric fabric, String host) throws Exception {
        return begin(fabric, host).get(10, TimeUnit.SECONDS);
    }

    private CompletableFuture<FabricSession> begin(TcpFabric fabric, String host) {
        MemoryNodeAddress address =
                new MemoryNodeAddress("tcp", host, rig.address().port());
        return beginToJoin(fabric, address, "cn", new RecordingListener());
    }

    @Test
    void aNameThatIsLookedUpForLongCostsNoOtherSessionAHeartbeat() throws Exception {
        try (TcpFabric fabric = open(impatient())) {
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
        try (TcpFabric fabric = open(impatient())) {
            for (int i = 0; i < HostAddresses.MOST_AT_A_TIME; i++) {
                begin(fabric, "slow-" + i + ".example");
            }
            assertThatThrownBy(() -> begin(fabric, "node.example").get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("names are being looked up");
            assertThat(join(fabric, "127.0.0.1").joined().memoryNodeId()).isEqualTo("mn");
        }
    }

    @Test
    void eachAddressOfANameIsTriedUntilOneAnswers() throws Exception {
        TcpFabric fabric = open(TcpFabricSettings.builder());
        try (ComputeNode node = ComputeNode.builder()
                .memoryNodes(List.of(new MemoryNodeAddress(
                        "tcp", "both.example", rig.address().port())))
                .fabric(fabric)
                .build()) {
            node.start();
            assertThat(node.awaitReady(Duration.ofSeconds(10)))
                    .as(() -> node.monitor().memoryNodes().toString())
                    .isTrue();
        }
    }

    @Test
    void theAddressOfAConfiguredNameIsAdvertised() throws Exception {
        try (TcpFabric fabric = open(TcpFabricSettings.builder().peerHost("me.example:31000"))) {
            assertThat(fabric.peerAddress()).isEmpty();
            assertThat(self(join(fabric, "127.0.0.1")).peerAddress()).isEqualTo("192.0.2.9:31000");
            assertThat(fabric.peerAddress()).isEqualTo("192.0.2.9:31000");
        }
    }

    @Test
    void aPortThatIsNoneIsRefused() {
        for (String wrong : new String[] {"me.example:", "me.example:x", "me.example:0", "[fd00::7]:65536"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            open(TcpFabricSettings.builder().peerHost(wrong)).close())
                    .withMessageContaining(wrong);
        }
    }

    @Test
    void aNameWithoutAnAddressOrWithASlowOneIsNotAdvertised() throws Exception {
        for (String name : new String[] {"nobody.example", "slow.example"}) {
            try (TcpFabric fabric = open(impatient().peerHost(name))) {
                assertThat(self(join(fabric, "127.0.0.1")).peerAddress()).isEmpty();
            }
        }
    }

    @Test
    void aNameThatAPeerAdvertisesIsNotLookedUp() throws Exception {
        NodeCounters counters = new NodeCounters();
        try (TcpFabric a = TcpFabric.open(TcpFabricSettings.DEFAULTS, counters, this::lookUp);
                TcpFabric b = open(TcpFabricSettings.builder())) {
            Node from = new Node("a", a, counters);
            Node to = new Node("b", b, new NodeCounters());
            // A name that this machine knows: a look-up, whoever made it, would find the peer.
            String port = b.peerAddress().substring(b.peerAddress().lastIndexOf(':') + 1);
            Member named = new Member(to.self().nodeId(), to.self().incarnation(), "localhost:" + port, "b");
            for (int i = 0; i < 200; i++) {
                from.session.send(named, from.to(named, i));
                assertThat(to.listener.messages.poll(10, TimeUnit.SECONDS)).isNotNull();
            }
            assertThat(counters.get(Counters.Event.PEER_DIRECT)).isZero();
            assertThat(asked).isEmpty();
        }
    }
}
