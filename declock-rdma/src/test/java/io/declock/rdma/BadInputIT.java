// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.TcpFabricSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.rdma.RdmaOffer;
import io.declock.internal.tcp.client.ControlSession;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.spi.Fabric;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.RecordingListener;
import io.declock.spi.TestChain;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that a memory node must refuse, and peers that do not exist: the errors are clear, and nothing hangs. */
@Timeout(60)
class BadInputIT {
    /** Two that join as the same process would end each other's sessions. */
    private static final AtomicLong PROCESSES = new AtomicLong();

    private final ManualTime time = new ManualTime();
    private final NodeCounters counters = new NodeCounters();
    private final RdmaCounters rdmaCounters = new RdmaCounters();
    private RdmaRig rig;
    private ConnectionManager manager;
    private TcpFabric tcp;

    @BeforeEach
    void start() throws Exception {
        rig = new RdmaRig(
                MemoryNodeSettings.builder("mn-1")
                        .records(64)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                time,
                RdmaFabric.SCHEME);
        manager = new ConnectionManager(RdmaRig.backend(), RdmaRig.settings(), rdmaCounters);
        tcp = TcpFabric.open(TcpFabricSettings.DEFAULTS, counters);
    }

    @AfterEach
    void stop() {
        manager.close();
        tcp.close();
        rig.close();
    }

    private static JoinRequest request() {
        return new JoinRequest(
                PROCESSES.incrementAndGet(),
                1,
                "test",
                "",
                0,
                Duration.ofSeconds(3).toNanos());
    }

    /** A session over TCP that has not asked for an RDMA connection yet. */
    private ControlSession session() throws Exception {
        return tcp.joinControl(rig.address(), request(), new RecordingListener())
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    private static RdmaOffer offer(ControlSession session) throws Exception {
        return session.rdmaOffer()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .orElseThrow();
    }

    /** A connection whose owner keeps what it is told. */
    private final class Attempt implements Connection.Owner {
        final CompletableFuture<RegionGrant> granted = new CompletableFuture<>();
        final CompletableFuture<FabricException> ended = new CompletableFuture<>();
        final Connection connection;
        VerbQueue queue;

        Attempt(String host, int port, byte[] greeting) throws Exception {
            connection = new Connection(manager, "the test's memory node", new QueueSizes(384, 1), greeting, this);
            InetSocketAddress target = new InetSocketAddress(InetAddress.getByName(host), port);
            manager.execute(() -> connection.connect(target));
        }

        Attempt(byte[] token) throws Exception {
            this(RdmaRig.host(), rig.rdma().port(), Greetings.toMemoryNode(token));
        }

        @Override
        public void established(Connection established, byte[] privateData) throws java.io.IOException {
            granted.complete(Greetings.readGrant(privateData));
        }

        @Override
        public void ended(Connection over, FabricException cause) {
            if (queue != null) {
                queue.fail(cause);
            }
            ended.complete(cause);
            granted.completeExceptionally(cause);
        }

        String failure() throws Exception {
            return ended.get(20, TimeUnit.SECONDS).getMessage();
        }

        /** Posts with a grant of the test's own making. */
        TestChain fetchAndAdd(RegionGrant grant, long address) throws Exception {
            CompletableFuture<VerbQueue> made = new CompletableFuture<>();
            manager.execute(() -> {
                try {
                    made.complete(VerbQueue.on(connection, manager, grant));
                } catch (Exception e) {
                    made.completeExceptionally(e);
                }
            });
            queue = made.get(10, TimeUnit.SECONDS);
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.fetchAndAdd(address, 1);
            queue.post(chain);
            return chain;
        }
    }

    @Test
    void aWrongTokenIsRejectedWithTheReason() throws Exception {
        assertThat(new Attempt(new byte[32]).failure())
                .contains("rejected the RDMA connection", "the token belongs to no session of memory node mn-1");
    }

    @Test
    void aRequestThatIsNoneIsRejected() throws Exception {
        Attempt attempt = new Attempt(RdmaRig.host(), rig.rdma().port(), "hello".getBytes());
        assertThat(attempt.failure()).contains("this is the RDMA port of DecLock");
    }

    @Test
    void aTokenWorksOnce() throws Exception {
        byte[] token = offer(session()).token();
        Attempt first = new Attempt(token);
        assertThat(first.granted.get(20, TimeUnit.SECONDS).length())
                .isEqualTo(rig.node().region().sizeBytes());
        assertThat(new Attempt(token).failure()).contains("or was used");
        assertThat(first.ended).isNotDone();
    }

    @Test
    void aTokenDiesWithItsSession() throws Exception {
        ControlSession session = session();
        byte[] token = offer(session).token();
        session.control().leave().toCompletableFuture().get(10, TimeUnit.SECONDS);
        assertThat(new Attempt(token).failure()).contains("the token belongs to no session");
    }

    @Test
    void aTokenEndsWhenItsSessionAsksAgain() throws Exception {
        ControlSession session = session();
        byte[] first = offer(session).token();
        byte[] second = offer(session).token();
        assertThat(new Attempt(first).failure()).contains("the token belongs to no session");
        assertThat(new Attempt(second).granted.get(20, TimeUnit.SECONDS)).isNotNull();
    }

    /** Rule G1: no verb of the last connection is executed after the offer. */
    @Test
    void aQueuePairEndsBeforeItsSessionIsOfferedAnother() throws Exception {
        ControlSession session = session();
        Attempt first = new Attempt(offer(session).token());
        RegionGrant grant = first.granted.get(20, TimeUnit.SECONDS);

        assertThat(first.fetchAndAdd(grant, 0).future().get(20, TimeUnit.SECONDS)[0][0])
                .isZero();

        byte[] token = offer(session).token();

        TestChain late = TestChain.forPurpose(Purpose.ACQUIRE);
        late.fetchAndAdd(0, 1);
        first.queue.post(late);
        assertThatThrownBy(() -> late.future().get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        Attempt second = new Attempt(token);
        RegionGrant next = second.granted.get(20, TimeUnit.SECONDS);
        assertThat(second.fetchAndAdd(next, 0).future().get(20, TimeUnit.SECONDS)[0][0])
                .as("the late FAA was not executed")
                .isEqualTo(1);
    }

    @Test
    void aKeyThatWasNotGrantedOpensNothing() throws Exception {
        Attempt attempt = new Attempt(offer(session()).token());
        RegionGrant grant = attempt.granted.get(20, TimeUnit.SECONDS);
        TestChain chain =
                attempt.fetchAndAdd(new RegionGrant(grant.address(), grant.length(), grant.key() ^ 0x5A5A00), 0);
        assertThatThrownBy(() -> chain.future().get(20, TimeUnit.SECONDS)).hasMessageContaining("REM_ACCESS_ERR");
        assertThat(chain.ends).hasValue(1);
        assertThat(rdmaCounters.errors()).containsKey("REM_ACCESS_ERR");
    }

    @Test
    void anotherSessionsKeyOpensNothing() throws Exception {
        Attempt one = new Attempt(offer(session()).token());
        RegionGrant itsGrant = one.granted.get(20, TimeUnit.SECONDS);
        Attempt other = new Attempt(offer(session()).token());
        other.granted.get(20, TimeUnit.SECONDS);
        TestChain chain = other.fetchAndAdd(itsGrant, 0);
        assertThatThrownBy(() -> chain.future().get(20, TimeUnit.SECONDS)).hasMessageContaining("REM_ACCESS_ERR");
        assertThat(rig.node().region().committedBytes()).isNotNegative();
    }

    /** For libraries that do not show what an acceptance carries. */
    @Test
    void theGrantIsToldOverTcpToWhomItIsConnectedAndToNobodyElse() throws Exception {
        ControlSession session = session();
        assertThatThrownBy(() -> told(session)).hasMessageContaining("no RDMA connection");
        byte[] token = offer(session).token();
        assertThatThrownBy(() -> told(session)).hasMessageContaining("no RDMA connection");

        Attempt attempt = new Attempt(token);
        RegionGrant grant = attempt.granted.get(20, TimeUnit.SECONDS);

        assertThat(told(session)).isEqualTo(grant);
        assertThatThrownBy(() -> told(session())).hasMessageContaining("no RDMA connection");

        attempt.connection.fail(new FabricException("the test ends it"));
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(
                        () -> assertThatThrownBy(() -> told(session)).hasMessageContaining("no RDMA connection"));
    }

    private static RegionGrant told(ControlSession session) throws Exception {
        return Greetings.readGrant(session.rdmaGrant().toCompletableFuture().get(10, TimeUnit.SECONDS));
    }

    /** A stranger that has recorded a peer's request cannot connect with it. */
    @Test
    void aPeersRequestThatWasRecordedIsRejected() throws Exception {
        Fabric called = rig.openFabric(counters);
        FabricSession member = called.join(rig.address(), request(), new RecordingListener())
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        ControlSession calling = session();
        Member target = calling.control()
                .members()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .byNodeId(member.joined().nodeId());
        await().atMost(Duration.ofSeconds(10))
                .until(() -> ((RdmaSession) member)
                        .isMember(calling.joined().nodeId(), calling.joined().incarnation()));
        byte[] ticket = calling.ticketFor(target).toCompletableFuture().get(10, TimeUnit.SECONDS);
        byte[] greeting = Greetings.toPeer(PeerProofs.proved(
                ticket,
                new Greetings.Peers(
                        calling.joined().memoryNodeIncarnation(),
                        calling.joined().nodeId(),
                        calling.joined().incarnation(),
                        target.nodeId(),
                        target.incarnation(),
                        PeerAttempts.next(),
                        new byte[Greetings.REQUEST_PROOF_BYTES])));
        InetSocketAddress address = PeerConnections.addressOf(target.peerAddress());

        Attempt first = new Attempt(RdmaRig.host(), address.getPort(), greeting);
        first.granted.get(20, TimeUnit.SECONDS);
        Attempt again = new Attempt(RdmaRig.host(), address.getPort(), greeting);
        assertThat(again.failure()).contains("to connect is not higher than those before");
        assertThat(first.ended).isNotDone();
    }

    @Test
    void theAdapterItselfKeepsTheBounds() throws Exception {
        Attempt attempt = new Attempt(offer(session()).token());
        RegionGrant grant = attempt.granted.get(20, TimeUnit.SECONDS);
        TestChain chain = attempt.fetchAndAdd(
                new RegionGrant(grant.address(), grant.length() + 4096, grant.key()), grant.length());
        assertThatThrownBy(() -> chain.future().get(20, TimeUnit.SECONDS)).hasMessageContaining("REM_ACCESS_ERR");
    }

    /** Invariant 2: once members were told, nothing of the session executes. */
    @Test
    void aSessionThatLapsedCanChangeNothing() throws Exception {
        ControlSession session = session();
        RecordingListener other = new RecordingListener();
        FabricSession watcher = tcp.joinControl(rig.address(), request(), other)
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        long record = watcher.control()
                .resolve("ns:x")
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .record();
        Attempt attempt = new Attempt(offer(session).token());
        RegionGrant grant = attempt.granted.get(20, TimeUnit.SECONDS);
        TestChain before = attempt.fetchAndAdd(grant, record);
        before.future().get(20, TimeUnit.SECONDS);
        long header = rig.node().region().read(record);

        while (watcher.control()
                        .members()
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS)
                        .members()
                        .size()
                == 2) {
            watcher.control().heartbeat().toCompletableFuture().get(10, TimeUnit.SECONDS);
            time.advance(Duration.ofMillis(500));
        }
        TestChain after = TestChain.forPurpose(Purpose.ACQUIRE);
        after.fetchAndAdd(record, 1);
        attempt.queue.post(after);

        assertThatThrownBy(() -> after.future().get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(rig.node().region().read(record)).isEqualTo(header);
    }

    @Test
    void nobodyListensThere() throws Exception {
        Attempt attempt = new Attempt(RdmaRig.host(), 4, Greetings.toMemoryNode(new byte[32]));
        assertThat(attempt.failure()).contains("no process listens there");
    }

    @Test
    void aHostThatIsNotThereIsGivenUpInTime() throws Exception {
        long begun = System.nanoTime();
        Attempt attempt = new Attempt("10.77.0.99", 4, Greetings.toMemoryNode(new byte[32]));
        assertThat(attempt.failure()).contains("the test's memory node");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void aMemoryNodeThatEndsFailsWhatIsUnderWay() throws Exception {
        RecordingListener listener = new RecordingListener();
        Fabric fabric = rig.openFabric(counters);
        FabricSession session = fabric.join(rig.address(), request(), listener)
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        rig.rdma().close();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(listener.losses).hasSize(1));
        TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
        chain.fetchAndAdd(0, 1);
        session.memory().post(chain);
        assertThat(chain.future()).isCompletedExceptionally();
    }

    @Test
    void aMemoryNodeWithoutRdmaIsExplained() throws Exception {
        try (PlainMemoryNode plain = new PlainMemoryNode(time)) {
            MemoryNodeAddress address = new MemoryNodeAddress("rdma", "127.0.0.1", plain.port());
            assertThatThrownBy(() -> rig.openFabric(counters)
                            .join(address, request(), new RecordingListener())
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("does not serve RDMA");
        }
    }

    @Test
    void whereItIsAllowedTcpTakesOver() throws Exception {
        try (PlainMemoryNode plain = new PlainMemoryNode(time);
                Fabric fabric = RdmaFabric.open(
                        RdmaRig.backend(),
                        RdmaRig.settings(),
                        PeerSettings.DEFAULTS,
                        true,
                        TcpFabric.open(TcpFabricSettings.DEFAULTS, counters),
                        counters)) {
            MemoryNodeAddress address = new MemoryNodeAddress("rdma", "127.0.0.1", plain.port());
            FabricSession session = fabric.join(address, request(), new RecordingListener())
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
            long record = session.control()
                    .resolve("ns:x")
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS)
                    .record();
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.fetchAndAdd(record, 1);
            assertThat(chain.runOn(session)[0]).hasSize(1);
        }
    }
}
