// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.declock.Counters;
import io.declock.LockMode;
import io.declock.LockView;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.memorynode.LockReport;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every fabric promises. The memory node's time stands still unless a test moves it. */
@Timeout(60)
public abstract class FabricContract {
    /** Lease of the sessions in these tests. */
    protected static final Duration LEASE = Duration.ofSeconds(3);

    private static final Duration MARGIN = Duration.ofMillis(500);
    private static final RecordLayout LAYOUT = new RecordLayout(8);

    /** The memory node's time. */
    protected final ManualTime time = new ManualTime();

    /** What the compute nodes count. */
    protected final NodeCounters counters = new NodeCounters();

    private FabricRig rig;

    /** Starts a memory node on {@link #time}. */
    protected abstract FabricRig start(MemoryNodeSettings settings);

    /** Returns the settings the tests are written for. */
    protected static MemoryNodeSettings settings() {
        return MemoryNodeSettings.builder("mn-1")
                .records(64)
                .queueCapacity(LAYOUT.capacity())
                .maxComputeNodes(8)
                .maxLease(LEASE)
                .leaseMargin(MARGIN)
                .waitOutOldSessions(false)
                .reclaimInterval(Duration.ofSeconds(10))
                .secondsSince2025(() -> 1000)
                .build();
    }

    /** Returns how often each of three nodes takes a spin lock; fewer where a machine is emulated. */
    protected int lockRounds() {
        return 500;
    }

    /** Returns how many operations are made one after the other where nothing is pipelined; fewer where a machine is emulated. */
    protected int roundTrips() {
        return 20_000;
    }

    @BeforeEach
    final void startRig() {
        rig = start(settings());
    }

    @AfterEach
    final void closeRig() {
        rig.close();
    }

    /** Returns the memory node and its fabrics. */
    protected final FabricRig rig() {
        return rig;
    }

    /** Waits for a stage. */
    protected static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** Returns a join request. */
    protected static JoinRequest request(String name) {
        return new JoinRequest(name.hashCode(), 1, name, "", 0, LEASE.toNanos());
    }

    /** A compute node. */
    protected record Joined(FabricSession session, RecordingListener listener) {
        Member member() {
            Member member =
                    session.joined().membership().byNodeId(session.joined().nodeId());
            assertThat(member).isNotNull();
            return member;
        }
    }

    /** Joins as another process would. */
    protected final Joined join(String name) throws Exception {
        RecordingListener listener = new RecordingListener();
        Fabric fabric = rig.openFabric(counters);
        return new Joined(get(fabric.join(rig.address(), request(name), listener)), listener);
    }

    private static long[][] run(Joined on, Consumer<VerbChain> verbs) throws Exception {
        TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
        verbs.accept(chain);
        return chain.runOn(on.session());
    }

    private static long record(Joined on, String name) throws Exception {
        return get(on.session().control().resolve(name)).record();
    }

    private static FabricException.Reason refusal(CompletionStage<?> stage) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        assertThatThrownBy(() -> get(stage))
                .isInstanceOf(ExecutionException.class)
                .satisfies(e -> failure.set(e.getCause()));
        assertThat(failure.get()).isInstanceOf(FabricException.Refused.class);
        return ((FabricException.Refused) failure.get()).reason();
    }

    private static PeerMessage message(Joined from, Member to, int index) {
        JoinReply joined = from.session().joined();
        return new PeerMessage(
                PeerMessage.Kind.GRANT,
                joined.memoryNodeIncarnation(),
                joined.nodeId(),
                joined.incarnation(),
                to.nodeId(),
                to.incarnation(),
                64,
                7,
                index,
                9,
                new long[] {1, -2});
    }

    @Test
    void aNewRecordIsInitialised() throws Exception {
        Joined a = join("a");
        Resolution resolution = get(a.session().control().resolve("ns:x"));

        long[] words = run(a, chain -> chain.read(resolution.record(), LAYOUT.words()))[0];

        assertThat(words[0]).isEqualTo(LockHeader.pack(resolution.epoch(), 0, 0, 0));
        assertThat(words[1]).isEqualTo(resolution.epoch()).isGreaterThan(1000);
        for (int i = 2; i < words.length; i++) {
            assertThat(words[i]).isEqualTo(QueueEntry.INITIAL);
        }
    }

    @Test
    void everyVerbDoesWhatItSays() throws Exception {
        Joined a = join("a");
        long word = LAYOUT.entry(record(a, "ns:x"), 0);

        run(a, chain -> chain.write(word, 40));
        assertThat(run(a, chain -> chain.fetchAndAdd(word, 2))[0][0]).isEqualTo(40);
        assertThat(run(a, chain -> chain.compareAndSwap(word, 41, 7))[0][0]).isEqualTo(42);
        assertThat(run(a, chain -> chain.compareAndSwap(word, 42, -7))[0][0]).isEqualTo(42);
        assertThat(run(a, chain -> chain.read(word, 1))[0][0]).isEqualTo(-7);
        run(a, chain -> chain.write(word, new long[] {1, 2, Long.MIN_VALUE}));
        assertThat(run(a, chain -> chain.read(word, 3))[0]).containsExactly(1, 2, Long.MIN_VALUE);
    }

    /** Returns whether the fabric executes extended atomics; one that does not refuses them. */
    protected boolean executesExtendedAtomics() {
        return true;
    }

    @Test
    void extendedAtomicsDoWhatTheySay() throws Exception {
        Joined a = join("a");
        long words = LAYOUT.entry(record(a, "ns:x"), 0);
        assertThat(words % ExtendedAtomics.BYTES).isZero();
        run(a, chain -> chain.write(words, new long[] {0x1_FFFF, 5}));
        long[] addition = {1, -1, 0x8000, 0};
        if (!executesExtendedAtomics()) {
            assertThatThrownBy(() -> run(a, chain -> chain.maskedFetchAndAdd(words, addition)))
                    .hasStackTraceContaining("MASKED_FETCH_AND_ADD")
                    .hasStackTraceContaining("not supported");
            assertThat(run(join("b"), chain -> chain.read(words, 2))[0]).containsExactly(0x1_FFFF, 5);
            return;
        }
        assertThat(run(a, chain -> chain.maskedFetchAndAdd(words, addition))[0]).containsExactly(0x1_FFFF, 5);
        assertThat(run(a, chain -> chain.read(words, 2))[0])
                .as("no carry leaves the low field")
                .containsExactly(0x1_0000, 4);
        long[] swap = {0xAB_0001_0000L, 4, 0xFFFF_0000L, -1, 7, 8, 0xFF, 0xF};
        long[][] found = run(
                a,
                chain -> chain.read(words, 1).maskedCompareAndSwap(words, swap).fetchAndAdd(words, 1));
        assertThat(found[1]).containsExactly(0x1_0000, 4);
        assertThat(found[2][0]).isEqualTo(0x1_0007);
        assertThat(run(a, chain -> chain.maskedCompareAndSwap(words, swap))[0])
                .as("found, but not as expected")
                .containsExactly(0x1_0008, 8);
        assertThat(run(a, chain -> chain.read(words, 2))[0]).containsExactly(0x1_0008, 8);
        assertThat(counters.verbs(Purpose.ACQUIRE, Verb.MASKED_COMPARE_AND_SWAP))
                .isEqualTo(2);
        assertThat(rig.node().status().fetchAndAdds())
                .as("two of them were masked or not")
                .isEqualTo(2);
    }

    @Test
    void extendedAtomicsAreAtomicAcrossSessions() throws Exception {
        if (!executesExtendedAtomics()) {
            return;
        }
        int each = lockRounds();
        List<Joined> nodes = List.of(join("a"), join("b"), join("c"));
        long words = LAYOUT.entry(record(nodes.get(0), "ns:x"), 0);
        run(nodes.get(0), chain -> chain.write(words, new long[] {0, 0}));
        Set<Long> found = ConcurrentHashMap.newKeySet();

        inParallel(nodes, (node, n) -> {
            for (int i = 0; i < each; i++) {
                long[] before = run(node, chain -> chain.maskedFetchAndAdd(words, new long[] {1, 1, 0, 0}))[0];
                assertThat(before[0]).as("both words are changed at once").isEqualTo(before[1]);
                assertThat(found.add(before[0])).isTrue();
            }
        });

        assertThat(found).hasSize(nodes.size() * each);
    }

    @Test
    void anExtendedAtomicAtAnAddressThatIsNotItsOwnEndsTheSession() throws Exception {
        if (!executesExtendedAtomics()) {
            return;
        }
        Joined a = join("a");
        long words = LAYOUT.entry(record(a, "ns:x"), 0);
        for (long address : new long[] {words + Long.BYTES, a.session().joined().regionBytes(), -16}) {
            Joined each = join("bad" + address);
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.write(words, 1).maskedFetchAndAdd(address, new long[] {1, 1, 0, 0});
            assertThatThrownBy(() -> chain.runOn(each.session())).hasCauseInstanceOf(FabricException.class);
            await().untilAsserted(() -> assertThat(each.listener().losses).hasSize(1));
        }
        assertThat(run(a, chain -> chain.read(words, 2))[0]).containsExactly(QueueEntry.INITIAL, QueueEntry.INITIAL);
    }

    @Test
    void aChainIsExecutedInOrder() throws Exception {
        Joined a = join("a");
        long word = LAYOUT.entry(record(a, "ns:x"), 0);

        long[][] results =
                run(a, chain -> chain.write(word, 5).fetchAndAdd(word, 1).read(word, 2));

        assertThat(results[0]).isEmpty();
        assertThat(results[1][0]).isEqualTo(5);
        assertThat(results[2]).containsExactly(6, QueueEntry.INITIAL);
    }

    @Test
    void chainsOfOneThreadAreExecutedInTheOrderOfPosting() throws Exception {
        Joined a = join("a");
        long word = LAYOUT.entry(record(a, "ns:x"), 0);
        List<TestChain> chains = new ArrayList<>();
        run(a, chain -> chain.write(word, 0));
        for (int i = 0; i < 20_000; i++) {
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.compareAndSwap(word, i, i + 1);
            chains.add(chain);
            a.session().memory().post(chain);
        }
        for (int i = 0; i < chains.size(); i++) {
            assertThat(chains.get(i).future().get(10, TimeUnit.SECONDS)[0][0]).isEqualTo(i);
            assertThat(chains.get(i).ends).hasValue(1);
        }
    }

    @Test
    void aCompletionMayPostAgainWithoutEnd() throws Exception {
        Joined a = join("a");
        long word = LAYOUT.entry(record(a, "ns:x"), 0);
        run(a, chain -> chain.write(word, 0));
        CompletableFuture<Long> last = new CompletableFuture<>();
        VerbChain again = new VerbChain() {
            @Override
            public void completed(VerbResults results) {
                if (results.value(0) == roundTrips()) {
                    last.complete(results.value(0));
                } else {
                    begin(Purpose.ACQUIRE).fetchAndAdd(word, 1);
                    a.session().memory().post(this);
                }
            }

            @Override
            public void failed(FabricException cause) {
                last.completeExceptionally(cause);
            }
        };
        again.begin(Purpose.ACQUIRE).fetchAndAdd(word, 1);
        a.session().memory().post(again);
        assertThat(last.get(20, TimeUnit.SECONDS)).isEqualTo(roundTrips());
    }

    @Test
    void fetchAndAddIsAtomicAcrossSessionsAndThreads() throws Exception {
        int sessions = 3;
        int each = 10_000;
        List<Joined> nodes = new ArrayList<>();
        for (int i = 0; i < sessions; i++) {
            nodes.add(join("n" + i));
        }
        long word = LAYOUT.entry(record(nodes.get(0), "ns:x"), 0);
        run(nodes.get(0), chain -> chain.write(word, 0));
        long[] found = new long[sessions * each];

        inParallel(nodes, (node, n) -> {
            List<TestChain> chains = new ArrayList<>();
            for (int i = 0; i < each; i++) {
                TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
                chain.fetchAndAdd(word, 1);
                chains.add(chain);
                node.session().memory().post(chain);
            }
            for (int i = 0; i < each; i++) {
                found[n * each + i] = chains.get(i).future().get(20, TimeUnit.SECONDS)[0][0];
            }
        });

        Arrays.sort(found);
        for (int i = 0; i < found.length; i++) {
            assertThat(found[i]).isEqualTo(i);
        }
    }

    @Test
    void anUnprotectedCounterBehindACompareAndSwapLockLosesNothing() throws Exception {
        int each = lockRounds();
        List<Joined> nodes = List.of(join("a"), join("b"), join("c"));
        long lock = LAYOUT.entry(record(nodes.get(0), "ns:x"), 0);
        run(nodes.get(0), chain -> chain.write(lock, 0));
        long[] unprotected = new long[1];

        inParallel(nodes, (node, n) -> {
            for (int i = 0; i < each; i++) {
                while (run(node, chain -> chain.compareAndSwap(lock, 0, n + 1))[0][0] != 0) {
                    Thread.onSpinWait();
                }
                unprotected[0] = unprotected[0] + 1;
                // By an atomic, too: a WRITE may be lost between the two halves of another node's atomic.
                assertThat(run(node, chain -> chain.compareAndSwap(lock, n + 1, 0))[0][0])
                        .isEqualTo(n + 1);
            }
        });

        assertThat(unprotected[0]).isEqualTo(nodes.size() * each);
    }

    @Test
    void aWordIsNeverTorn() throws Exception {
        Joined writer = join("w");
        Joined reader = join("r");
        long first = LAYOUT.entry(record(writer, "ns:x"), 0);
        run(writer, chain -> chain.write(first, new long[8]));
        CountDownLatch readerIsDone = new CountDownLatch(1);
        inParallel(List.of(writer, reader), (node, n) -> {
            if (n == 0) {
                long[] words = new long[8];
                for (long value = 0; readerIsDone.getCount() > 0; value = ~value) {
                    Arrays.fill(words, value);
                    run(writer, chain -> chain.write(first, words));
                }
            } else {
                for (int i = 0; i < roundTrips(); i++) {
                    for (long word : run(reader, chain -> chain.read(first, 8))[0]) {
                        if (word != 0 && word != -1) {
                            readerIsDone.countDown();
                            assertThat(Long.toHexString(word)).isEqualTo("whole");
                        }
                    }
                }
                readerIsDone.countDown();
            }
        });
    }

    @Test
    void verbsAreCountedByPurpose() throws Exception {
        Joined a = join("a");
        long record = record(a, "ns:x");
        TestChain chain = TestChain.forPurpose(Purpose.RELEASE);
        chain.fetchAndAdd(record, 0).read(record, 10);
        chain.runOn(a.session());
        assertThat(counters.verbs(Purpose.RELEASE, Verb.FETCH_AND_ADD)).isEqualTo(1);
        assertThat(counters.verbs(Purpose.RELEASE, Verb.READ)).isEqualTo(1);
        assertThat(counters.verbs(Purpose.RELEASE)).isEqualTo(2);
    }

    @Test
    void aVerbOutsideTheRegionEndsItsSessionAndHarmsNobody() throws Exception {
        Joined bad = join("bad");
        Joined good = join("good");
        long record = record(good, "ns:x");
        long[] before = run(good, chain -> chain.read(record, LAYOUT.words()))[0];

        long end = bad.session().joined().regionBytes();
        for (long address : new long[] {end, -8, record + 4, Long.MAX_VALUE - 7}) {
            Joined each = join("bad" + address);
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            // The whole chain is refused: the good verb before the bad one is not executed either.
            chain.write(record, 0).write(address, 1);
            assertThatThrownBy(() -> chain.runOn(each.session())).hasCauseInstanceOf(FabricException.class);
            await().untilAsserted(() -> assertThat(each.listener().losses).hasSize(1));
        }
        assertThat(run(good, chain -> chain.read(record, LAYOUT.words()))[0]).isEqualTo(before);
    }

    @Test
    void aClosedSessionFailsEveryChainExactlyOnceAndIsLostOnce() throws Exception {
        Joined a = join("a");
        long word = LAYOUT.entry(record(a, "ns:x"), 0);
        List<TestChain> chains = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            TestChain chain = TestChain.forPurpose(Purpose.ACQUIRE);
            chain.fetchAndAdd(word, 1);
            chains.add(chain);
            a.session().memory().post(chain);
            if (i == 2_500) {
                a.session().close();
            }
        }
        await().untilAsserted(() ->
                assertThat(chains).allSatisfy(chain -> assertThat(chain.ends).hasValue(1)));
        assertThat(chains.get(4_999).future()).isCompletedExceptionally();
        await().untilAsserted(() -> assertThat(a.listener().losses).hasSize(1));
        a.session().close();
        assertThatThrownBy(() -> get(a.session().control().heartbeat())).hasCauseInstanceOf(FabricException.class);
        assertThat(a.listener().losses).hasSize(1);
    }

    @Test
    void joinTellsWhatIsServedAndOthersLearnOfIt() throws Exception {
        Joined a = join("a");
        JoinReply reply = a.session().joined();
        assertThat(reply.memoryNodeId()).isEqualTo("mn-1");
        assertThat(reply.queueCapacity()).isEqualTo(8);
        assertThat(reply.leaseNanos()).isEqualTo(LEASE.toNanos());
        assertThat(reply.membership().members()).hasSize(1);
        assertThat(reply.nodeId()).isBetween(1, 8);

        Joined b = join("b");
        assertThat(b.session().joined().nodeId()).isNotEqualTo(reply.nodeId());
        Membership told = a.listener().memberships.poll(10, TimeUnit.SECONDS);
        assertThat(told).isNotNull();
        assertThat(told.members()).extracting(Member::name).containsExactlyInAnyOrder("a", "b");
        assertThat(told.version()).isGreaterThan(reply.membership().version());
        assertThat(get(a.session().control().members()).members()).hasSize(2);
    }

    @Test
    void usersOfARecordAreThoseThatWereToldOfIt() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        Joined c = join("c");
        long x = record(a, "ns:x");
        long y = record(c, "ns:y");
        RecordMembers ofX = get(b.session().control().members(x));
        assertThat(ofX.all().members()).extracting(Member::name).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(ofX.users().members()).extracting(Member::name).containsExactly("a");
        assertThat(get(b.session().control().members(y)).users().members())
                .extracting(Member::name)
                .containsExactly("c");

        assertThat(get(b.session().control().lookUp("ns:x"))).isPresent();
        assertThat(get(c.session().control().members(x)).users().members())
                .extracting(Member::name)
                .containsExactlyInAnyOrder("a", "b");

        get(a.session().control().leave());
        assertThat(get(c.session().control().members(x)).users().members())
                .extracting(Member::name)
                .containsExactly("b");
    }

    @Test
    void whoLeavesIsNoMemberAtOnceAndIsNotLost() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        get(b.session().control().leave());
        assertThat(get(a.session().control().members()).members())
                .extracting(Member::name)
                .containsExactly("a");
        assertThat(b.listener().losses).isEmpty();
        TestChain late = TestChain.forPurpose(Purpose.ACQUIRE);
        late.fetchAndAdd(0, 1);
        assertThatThrownBy(() -> late.runOn(b.session())).hasCauseInstanceOf(FabricException.class);
    }

    @Test
    void whoIsCutOffStaysAMemberUntilLeaseAndMarginHaveRunOut() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        b.session().close();
        await().untilAsserted(() -> assertThat(rig.node().status().sessions())
                .anySatisfy(session -> assertThat(session.connected()).isFalse()));

        time.advance(LEASE);
        get(a.session().control().heartbeat());
        time.advance(MARGIN);
        assertThat(get(a.session().control().members()).members()).hasSize(2);
        time.advance(Duration.ofMillis(200));
        // An adapter may still be ending the connection.
        await().untilAsserted(
                        () -> assertThat(get(a.session().control().members()).members())
                                .extracting(Member::name)
                                .containsExactly("a"));
    }

    @Test
    void aSessionWhoseLeaseRanOutIsCutAndNothingOfItLands() throws Exception {
        Joined stale = join("stale");
        Joined a = join("a");
        long word = LAYOUT.entry(record(a, "ns:x"), 0);
        run(a, chain -> chain.write(word, 0));
        for (int i = 0; i < 8; i++) {
            time.advance(Duration.ofMillis(500));
            get(a.session().control().heartbeat());
        }
        // An adapter takes a moment to cut; the membership changes after that.
        await().untilAsserted(
                        () -> assertThat(get(a.session().control().members()).members())
                                .extracting(Member::name)
                                .containsExactly("a"));
        TestChain late = TestChain.forPurpose(Purpose.ACQUIRE);
        late.fetchAndAdd(word, 1);
        assertThatThrownBy(() -> late.runOn(stale.session())).hasCauseInstanceOf(FabricException.class);
        assertThat(run(a, chain -> chain.read(word, 1))[0][0]).isZero();
        await().untilAsserted(() -> assertThat(stale.listener().losses).hasSize(1));
    }

    /** Rule V1. */
    @Test
    void aSessionWhoseLeaseRanOutStoresAndReadsNoValue() throws Exception {
        Joined stale = join("stale");
        Joined a = join("a");
        Resolution found = get(stale.session().control().resolve("ns:x"));
        record(a, "ns:x");
        run(stale, chain -> chain.fetchAndAdd(LAYOUT.header(found.record()), LockHeader.acquire(true)));
        get(stale.session().control().writeValue(new ValueWriting(found.record(), found.epoch(), 0, 7, new byte[] {1
        })));
        for (int i = 0; i < 8; i++) {
            time.advance(Duration.ofMillis(500));
            get(a.session().control().heartbeat());
        }
        ValueWriting late = new ValueWriting(found.record(), found.epoch(), 0, 7, new byte[] {2});
        await().untilAsserted(() -> assertThatThrownBy(
                        () -> get(stale.session().control().writeValue(late)))
                .hasCauseInstanceOf(FabricException.class));
        assertThatThrownBy(() -> get(stale.session().control().readValue(found.record())))
                .hasCauseInstanceOf(FabricException.class);
        ValueReading reading = get(a.session().control().readValue(found.record()));
        assertThat(reading.value()).isEqualTo(new StoredValue(7, "stale", new byte[] {1}));
        assertThat(LockHeader.size(reading.header())).isEqualTo(1);
    }

    @Test
    void heartbeatsKeepASessionAndTellTheTime() throws Exception {
        Joined a = join("a");
        record(a, "ns:x");
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofSeconds(1));
            HeartbeatReply reply = get(a.session().control().heartbeat());
            assertThat(reply.memoryNodeTimeNanos()).isEqualTo(time.nanoTime());
            assertThat(reply.recordsInUse()).isEqualTo(1);
            assertThat(reply.recordsTotal()).isEqualTo(64);
        }
        assertThat(a.listener().losses).isEmpty();
    }

    @Test
    void namesGetOneRecordEach() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        assertThat(get(a.session().control().lookUp("ns:x"))).isEmpty();
        long x = record(a, "ns:x");
        assertThat(record(b, "ns:x")).isEqualTo(x);
        assertThat(record(b, "ns:y")).isNotEqualTo(x);
        assertThat(get(b.session().control().lookUp("ns:x")))
                .map(Resolution::record)
                .contains(x);
        assertThat(refusal(a.session().control().resolve(""))).isEqualTo(FabricException.Reason.BAD_REQUEST);
        assertThat(refusal(a.session().control().resolve("n".repeat(2000))))
                .isEqualTo(FabricException.Reason.BAD_REQUEST);
        assertThat(record(a, "ns:\u00fcml\u00e4ut \ud83d\udd12")).isNotEqualTo(x);
    }

    @Test
    void aFullTableRefusesNewNamesOnly() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        Set<Long> records = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            // No session may create more than nine tenths of them.
            records.add(record(i < 50 ? a : b, "ns:" + i));
        }
        assertThat(records).hasSize(64);
        assertThat(refusal(a.session().control().resolve("ns:more"))).isEqualTo(FabricException.Reason.TABLE_FULL);
        assertThat(records).contains(record(a, "ns:17"));
        assertThat(get(a.session().control().lookUp("ns:more"))).isEmpty();
    }

    @Test
    void aSessionThatHasCreatedTooManyNamesIsRefusedMoreAndOthersAreNot() throws Exception {
        Joined a = join("a");
        for (int i = 0; i < 58; i++) {
            record(a, "ns:" + i);
        }
        assertThat(refusal(a.session().control().resolve("ns:more"))).isEqualTo(FabricException.Reason.TOO_MANY_NAMES);
        long created = record(join("b"), "ns:more");
        assertThat(record(a, "ns:more")).isEqualTo(created);
    }

    @Test
    void moreComputeNodesThanAllowedAreRefused() throws Exception {
        for (int i = 0; i < 8; i++) {
            join("n" + i);
        }
        CompletionStage<FabricSession> ninth =
                rig.openFabric(counters).join(rig.address(), request("ninth"), new RecordingListener());
        assertThat(refusal(ninth)).isEqualTo(FabricException.Reason.TOO_MANY_COMPUTE_NODES);
    }

    @Test
    void anotherNodeSetIsRefused() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        NodeSet both = NodeSet.of(List.of("mn-1", "mn-2"));
        NodeSet others = NodeSet.of(List.of("mn-1", "mn-3"));
        assertThat(a.session().joined().nodeSet()).isEqualTo(NodeSet.NONE);
        get(a.session().control().declareNodeSet(both));
        get(a.session().control().declareNodeSet(both));
        get(b.session().control().declareNodeSet(both));
        assertThat(refusal(b.session().control().declareNodeSet(others)))
                .isEqualTo(FabricException.Reason.BAD_NODE_SET);
        assertThat(join("c").session().joined().nodeSet()).isEqualTo(both);
        JoinRequest other = new JoinRequest(3, 1, "d", "", others, 0, LEASE.toNanos(), FormerMemoryNode.NONE, false);
        assertThat(refusal(rig.openFabric(counters).join(rig.address(), other, new RecordingListener())))
                .isEqualTo(FabricException.Reason.BAD_NODE_SET);
    }

    @Test
    void aNodeSetWithoutTheMemoryNodeItselfIsRefused() throws Exception {
        NodeSet without = NodeSet.of(List.of("mn-2", "mn-3"));
        assertThat(refusal(join("a").session().control().declareNodeSet(without)))
                .isEqualTo(FabricException.Reason.BAD_NODE_SET);
    }

    @Test
    void newRecordsStartAboveEveryEpochThatJoiningNodesHaveSeen() throws Exception {
        JoinRequest request = new JoinRequest(3, 1, "c", "", 5_000, LEASE.toNanos());
        FabricSession session = get(rig.openFabric(counters).join(rig.address(), request, new RecordingListener()));
        assertThat(get(session.control().resolve("ns:x")).epoch()).isEqualTo(5_001);
    }

    @Test
    void peerMessagesReachTheirReceiver() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        List<PeerMessage> sent = new ArrayList<>();
        // The first may take another way than the later ones; order is not promised.
        for (int i = 0; i < 100; i++) {
            PeerMessage message = message(a, b.member(), i);
            sent.add(message);
            a.session().send(b.member(), message);
        }
        List<PeerMessage> got = new ArrayList<>();
        await().untilAsserted(() -> {
            b.listener().messages.drainTo(got);
            assertThat(got).containsExactlyInAnyOrderElementsOf(sent);
        });
        b.session().send(a.member(), message(b, a.member(), 5));
        assertThat(a.listener().messages.poll(10, TimeUnit.SECONDS)).isEqualTo(message(b, a.member(), 5));
        a.session().send(a.member(), message(a, a.member(), 6));
        assertThat(a.listener().messages.poll(10, TimeUnit.SECONDS)).isEqualTo(message(a, a.member(), 6));
    }

    @Test
    void relayedMessagesReachOnlyTheIncarnationTheyAreFor() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        Member older = new Member(b.member().nodeId(), b.member().incarnation() - 1, "", "b");
        a.session().control().relay(message(a, older, 1));
        a.session().control().relay(message(a, b.member(), 2));
        assertThat(b.listener().messages.poll(10, TimeUnit.SECONDS)).isEqualTo(message(a, b.member(), 2));
        assertThat(b.listener().messages).isEmpty();
        assertThat(counters.get(Counters.Event.PEER_RELAYED)).isEqualTo(2);
    }

    @Test
    void anOperatorAsksThoseThatKnowALock() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        record(a, "ns\0x");
        record(b, "ns\0y");
        CompletionStage<Optional<LockReport>> asked = rig.node().operator().endHolds("ns", "x", 5, "it hangs");
        LockInquiry inquiry = a.listener().inquiries.poll(10, TimeUnit.SECONDS);
        assertThat(inquiry)
                .isEqualTo(new LockInquiry(inquiry.number(), LockInquiry.Kind.END_HOLDS, "ns\0x", 5, "it hangs"));
        LockUse hold = new LockUse(LockView.State.HELD, LockMode.WRITE, "owner", 7, 8);
        a.session().control().answerInquiry(new LockAnswer(inquiry.number(), List.of(hold), 3));
        assertThat(get(asked).orElseThrow().users())
                .containsExactly(new LockReport.User(a.member(), true, List.of(hold), 3));
        assertThat(b.listener().inquiries).isEmpty();
    }

    /** By verbs that are atomic with those of the compute nodes, whatever executes these. */
    @Test
    void aReservedPositionOfOneThatLeftIsGivenBackByTheMemoryNode() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        long record = record(a, "ns:x");
        assertThat(record(b, "ns:x")).isEqualTo(record);
        run(a, chain -> chain.fetchAndAdd(LAYOUT.header(record), LockHeader.acquire(true)));
        get(a.session().control().reserve(record, Duration.ofMillis(500).toNanos()));
        get(a.session().control().leave());
        assertThat(positions(b, record)).isEqualTo(1);
        time.advance(Duration.ofMillis(501));
        await().untilAsserted(() -> assertThat(positions(b, record)).isZero());
    }

    private static int positions(Joined on, long record) throws Exception {
        return LockHeader.size(run(on, chain -> chain.read(LAYOUT.header(record), 1))[0][0]);
    }

    @Test
    void idleRecordsAreReclaimedWhenNobodyVetoes() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        Resolution keptAt = get(a.session().control().resolve("ns:kept"));
        long kept = keptAt.record();
        long gone = record(a, "ns:gone");
        long held = record(a, "ns:held");
        run(a, chain -> chain.fetchAndAdd(LAYOUT.header(held), LockHeader.acquire(true)));

        RecordingListener.Proposal proposal = awaitProposal(a, b);
        assertThat(proposal.records()).containsExactlyInAnyOrder(kept, gone);
        CompletionStage<Resolution> waits = b.session().control().resolve("ns:gone");
        a.session().control().answerReclaim(proposal.round(), new long[] {kept});
        assertThat(get(a.session().control().members()).members()).hasSize(2);
        assertThat(waits.toCompletableFuture()).isNotDone();
        b.session().control().answerReclaim(proposal.round(), new long[0]);

        Resolution again = get(waits);
        assertThat(again.epoch()).isGreaterThan(1001);
        // With its epoch: a freed record could be given out to the same name again.
        assertThat(get(b.session().control().resolve("ns:kept"))).isEqualTo(keptAt);
        assertThat(record(b, "ns:held")).isEqualTo(held);
        assertThat(run(a, chain -> chain.read(again.record(), 2))[0])
                .containsExactly(LockHeader.pack(again.epoch(), 0, 0, 0), again.epoch());
    }

    @Test
    void aRecordUsedDuringTheRoundStays() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        Resolution usedAt = get(a.session().control().resolve("ns:used"));
        long used = usedAt.record();
        RecordingListener.Proposal proposal = awaitProposal(a, b);
        run(b, chain -> chain.fetchAndAdd(LAYOUT.header(used), LockHeader.acquire(true)));
        a.session().control().answerReclaim(proposal.round(), new long[0]);
        b.session().control().answerReclaim(proposal.round(), new long[0]);
        get(b.session().control().members());
        assertThat(get(b.session().control().resolve("ns:used"))).isEqualTo(usedAt);
    }

    @Test
    void aMemberThatDiesDoesNotBlockReclaiming() throws Exception {
        Joined a = join("a");
        Joined b = join("b");
        record(a, "ns:gone");
        RecordingListener.Proposal proposal = awaitProposal(a, b);
        a.session().control().answerReclaim(proposal.round(), new long[0]);
        assertThat(get(a.session().control().heartbeat()).recordsInUse()).isEqualTo(1);
        b.session().close();
        await().untilAsserted(
                        () -> assertThat(get(a.session().control().heartbeat()).recordsInUse())
                                .isZero());
    }

    /** Lets the reclaim interval pass until a and b were both asked. */
    private RecordingListener.Proposal awaitProposal(Joined a, Joined b) throws Exception {
        for (int second = 0; second < 25 && a.listener().proposals.isEmpty(); second++) {
            time.advance(Duration.ofSeconds(1));
            get(a.session().control().heartbeat());
            get(b.session().control().heartbeat());
        }
        RecordingListener.Proposal ofB = b.listener().proposals.poll(10, TimeUnit.SECONDS);
        RecordingListener.Proposal ofA = a.listener().proposals.poll(10, TimeUnit.SECONDS);
        assertThat(ofA).isNotNull();
        assertThat(ofB).isNotNull();
        assertThat(ofB.records()).isEqualTo(ofA.records());
        return ofA;
    }

    /** What each node's thread does. */
    @FunctionalInterface
    private interface Work {
        void run(Joined node, int number) throws Exception;
    }

    private static void inParallel(List<Joined> nodes, Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(nodes.size());
        try {
            // In the order in which they end: where one failed, others may wait for it without end.
            CompletionService<Void> running = new ExecutorCompletionService<>(threads);
            for (int n = 0; n < nodes.size(); n++) {
                int number = n;
                running.submit(() -> {
                    work.run(nodes.get(number), number);
                    return null;
                });
            }
            for (int n = 0; n < nodes.size(); n++) {
                Future<Void> ended = running.poll(30, TimeUnit.SECONDS);
                assertThat(ended).as("one more node that is done").isNotNull();
                ended.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
