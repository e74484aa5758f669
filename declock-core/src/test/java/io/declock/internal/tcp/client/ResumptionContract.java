// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.Counters.Event;
import io.declock.MemoryNodeAddress;
import io.declock.Purpose;
import io.declock.TcpFabricSettings;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.HeartbeatReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import io.declock.spi.Resolution;
import io.declock.spi.TestChain;
import io.declock.testkit.TcpProxy;
import io.declock.testkit.TcpProxy.Direction;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules G1 to G4: a session goes on with another connection, and every verb is executed exactly once. */
@Timeout(120)
abstract class ResumptionContract {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int CHAINS = 6;

    private final ManualTime time = new ManualTime();
    protected final NodeCounters counters = new NodeCounters();
    protected final RecordingListener listener = new RecordingListener();
    protected TcpRig rig;
    protected TcpProxy proxy;
    private TcpFabric fabric;
    protected FabricSession session;

    /** Starts the memory node. */
    protected TcpRig rig(MemoryNodeSettings settings, ManualTime manual) {
        return new TcpRig(settings, manual, server().eventLoopThreads(2), client());
    }

    /** Returns the memory node's settings. */
    protected abstract MemoryNodeServerSettings.Builder server();

    /** Returns the compute node's settings. */
    protected abstract TcpFabricSettings client();

    @BeforeEach
    void start() throws Exception {
        rig = rig(
                MemoryNodeSettings.builder("mn")
                        .records(16)
                        .maxLease(LEASE)
                        .waitOutOldSessions(false)
                        .build(),
                time);
        proxy = new TcpProxy(rig.server().port());
        fabric = TcpFabric.open(client(), counters);
        session = join(1, 1);
    }

    @AfterEach
    void end() {
        fabric.close();
        proxy.close();
        rig.close();
    }

    private FabricSession join(long process, long attempt) throws Exception {
        return get(fabric.join(
                new MemoryNodeAddress(TcpFabric.SCHEME, "127.0.0.1", proxy.port()),
                new JoinRequest(process, attempt, "cn" + process, "", 0, LEASE.toNanos()),
                listener));
    }

    protected static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** Breaks the connection, and every one that follows. */
    private void cutOff() throws Exception {
        try (ServerSocket unused = new ServerSocket(0)) {
            proxy.target(unused.getLocalPort());
        }
        proxy.sever();
    }

    private MemoryNode node() {
        return rig.node();
    }

    /** Returns the address of a word that is zero. */
    protected final long word(String name) throws Exception {
        long record = get(session.control().resolve(name)).record();
        long word = new RecordLayout(session.joined().queueCapacity()).entry(record, 0);
        TestChain zero = TestChain.forPurpose(Purpose.ACQUIRE);
        zero.write(word, 0);
        zero.runOn(session);
        return word;
    }

    protected final TestChain count(long word) {
        TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
        chain.fetchAndAdd(word, 1);
        session.memory().post(chain);
        return chain;
    }

    /** Posts chains that count a word, with requests between them, and sees that each was executed once and in order. */
    private void countAndAsk(long word, long from) throws Exception {
        List<TestChain> chains = new ArrayList<>();
        List<CompletionStage<HeartbeatReply>> beats = new ArrayList<>();
        List<CompletionStage<Resolution>> names = new ArrayList<>();
        for (int i = 0; i < CHAINS; i++) {
            chains.add(count(word));
            if (i % 2 == 0) {
                beats.add(session.control().heartbeat());
                names.add(session.control().resolve("ns:other"));
            }
        }
        for (int i = 0; i < CHAINS; i++) {
            assertThat(get(chains.get(i).future())[0][0]).as("chain %d", i).isEqualTo(from + i);
            assertThat(chains.get(i).ends).hasValue(1);
        }
        for (CompletionStage<HeartbeatReply> beat : beats) {
            get(beat);
        }
        assertThat(names)
                .extracting(name -> get(name).record())
                .containsOnly(get(names.get(0)).record());
    }

    private void cutAfterEachByte(Direction direction) throws Exception {
        long word = word("ns:x");
        long from = 0;
        int breaks = 0;
        for (int bytes = 1; ; bytes++) {
            long before = counters.get(Event.SESSION_RESUMED);
            proxy.severAfter(direction, bytes);
            countAndAsk(word, from);
            from += CHAINS;
            boolean broke = counters.get(Event.SESSION_RESUMED) > before;
            if (!broke) {
                break;
            }
            breaks++;
        }
        assertThat(breaks).isGreaterThan(200);
        assertThat(listener.losses).isEmpty();
        assertThat(node().status().resumed()).isGreaterThanOrEqualTo(breaks);
    }

    @Test
    void aConnectionThatBreaksAfterAnyByteOfTheRequestsCostsNothing() throws Exception {
        cutAfterEachByte(Direction.FROM_CLIENT);
    }

    @Test
    void aConnectionThatBreaksAfterAnyByteOfTheAnswersCostsNothing() throws Exception {
        cutAfterEachByte(Direction.FROM_SERVER);
    }

    @Test
    void verbsWaitForTheNextConnection() throws Exception {
        long word = word("ns:x");
        cutOff();
        await().until(() -> session.disconnectedNanos() > 0);
        List<TestChain> chains = new ArrayList<>();
        for (int i = 0; i < 2 * CHAINS; i++) {
            chains.add(count(word));
        }
        CompletionStage<HeartbeatReply> beat = session.control().heartbeat();
        proxy.target(rig.server().port());
        for (int i = 0; i < chains.size(); i++) {
            assertThat(get(chains.get(i).future())[0][0]).isEqualTo(i);
        }
        get(beat);
        assertThat(session.disconnectedNanos()).isZero();
    }

    /**
     * The memory node answers in the order of arrival, but requests about names, which may have to wait, after the others that arrive with
     * them. So each kind tells its own order.
     */
    @Test
    void requestsAreSentAgainInTheOrderInWhichTheyWereAsked() throws Exception {
        get(session.control().resolve("ns:x"));
        // The next numbers lie on both sides of 16, where a hash table with that many places begins anew.
        for (int number = 2; number < 12; number++) {
            get(session.control().heartbeat());
        }
        cutOff();
        await().until(() -> session.disconnectedNanos() > 0);
        List<Supplier<CompletionStage<?>>> ways = List.of(
                session.control()::heartbeat,
                () -> session.control().resolve("ns:x"),
                session.control()::members,
                () -> session.control().lookUp("ns:x"));
        List<Integer> answered = new CopyOnWriteArrayList<>();
        List<CompletionStage<?>> ends = new ArrayList<>();
        for (int i = 0; i < 2 * ways.size(); i++) {
            int index = i;
            ends.add(ways.get(i % ways.size()).get().thenRun(() -> answered.add(index)));
        }
        proxy.target(rig.server().port());
        for (CompletionStage<?> end : ends) {
            get(end);
        }
        assertThat(answered).filteredOn(index -> index % 2 == 0).containsExactly(0, 2, 4, 6);
        assertThat(answered).filteredOn(index -> index % 2 == 1).containsExactly(1, 3, 5, 7);
    }

    @Test
    void theLeaseRunsOnWithoutAConnection() throws Exception {
        cutOff();
        await().until(() -> node().status().sessions().stream().noneMatch(member -> member.connected()));
        time.advance(LEASE.plusSeconds(1));
        await().until(() -> node().status().sessions().isEmpty());
        proxy.target(rig.server().port());
        await().untilAsserted(() -> assertThat(listener.losses).hasSize(1));
        assertThat(listener.losses.get(0))
                .isNotInstanceOf(FabricException.Refused.class)
                .hasMessageContaining("has no session 1.");
        assertThat(counters.get(Event.SESSION_RESUMED)).isZero();
    }

    @Test
    void resumingRenewsNoLease() throws Exception {
        get(session.control().heartbeat());
        time.advance(LEASE.dividedBy(2));
        proxy.sever();
        await().until(() -> counters.get(Event.SESSION_RESUMED) == 1);
        assertThat(node().status().sessions().get(0).leaseLeft()).isEqualTo(LEASE.dividedBy(2));
    }

    @Test
    void aProcessThatJoinsAgainEndsTheSessionThatItCannotResume() throws Exception {
        long word = word("ns:x");
        cutOff();
        await().until(() -> node().status().sessions().stream().noneMatch(member -> member.connected()));
        TestChain lost = count(word);
        FabricSession former = session;
        proxy.target(rig.server().port());
        session = join(1, 2);
        await().untilAsserted(() -> assertThat(lost.ends).hasValue(1));
        // The former session was resumed before, or is over.
        long counted = lost.future().isCompletedExceptionally() ? 0 : 1;
        assertThat(get(count(word).future())[0][0]).isEqualTo(counted);
        await().untilAsserted(() -> assertThat(listener.losses).hasSize(1));
        assertThatThrownBy(() -> get(former.control().heartbeat())).hasCauseInstanceOf(FabricException.class);
    }

    @Test
    void theMembersOfTheMeantimeAreTold() throws Exception {
        cutOff();
        await().until(() -> node().status().sessions().stream().noneMatch(member -> member.connected()));
        node().join(new JoinRequest(2, 1, "cn2", "", 0, LEASE.toNanos()), new RecordingListener());
        proxy.target(rig.server().port());
        await().untilAsserted(() -> assertThat(listener.memberships)
                .anySatisfy(told -> assertThat(told.members()).hasSize(2)));
    }

    @Test
    void aSessionThatIsClosedMeanwhileEndsAtOnce() throws Exception {
        long word = word("ns:x");
        cutOff();
        await().until(() -> session.disconnectedNanos() > 0);
        TestChain chain = count(word);
        CompletableFuture<HeartbeatReply> beat = session.control().heartbeat().toCompletableFuture();
        session.close();
        assertThatThrownBy(() -> get(chain.future())).hasMessageContaining("was closed");
        assertThatThrownBy(() -> get(beat)).hasMessageContaining("was closed");
        await().untilAsserted(() -> assertThat(listener.losses).hasSize(1));
        assertThatThrownBy(() -> get(count(word).future())).hasMessageContaining("was closed");
    }

    @Test
    void leavingWithoutAConnectionEndsAtOnce() throws Exception {
        cutOff();
        await().until(() -> session.disconnectedNanos() > 0);
        assertThatThrownBy(() -> get(session.control().leave())).hasCauseInstanceOf(FabricException.class);
    }
}
