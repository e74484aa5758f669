// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.declock.Verb;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.tcp.wire.SocketAddresses;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.FormerMemoryNode;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Membership;
import io.declock.spi.NodeSet;
import io.declock.spi.PeerMessage;
import io.declock.spi.RecordingListener;
import io.declock.spi.Resolution;
import io.declock.spi.SessionListener;
import io.declock.spi.ValueWriting;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a memory node does when compute nodes come that had their last session with another one of its id (rule C7). */
class PredecessorsTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration MARGIN = Duration.ofMillis(500);
    private static final Duration LONGEST = LEASE.plus(MARGIN);
    private static final FormerMemoryNode FORMER = new FormerMemoryNode(4711, "192.0.2.1:7420");
    private static final FormerMemoryNode OTHER = new FormerMemoryNode(4713, "192.0.2.2:7420");
    private static final PredecessorAnswer LIVES = PredecessorAnswer.memoryNode("mn", FORMER.incarnation());
    private static final PredecessorAnswer NOBODY = PredecessorAnswer.nobody("connection refused");
    private static final PredecessorAnswer SILENCE = PredecessorAnswer.noAnswer("timed out");

    private final ManualTime time = new ManualTime();
    private final AtomicLong seconds = new AtomicLong(1_000);
    private final AtomicLong random = new AtomicLong(7);
    private final Questions questions = new Questions();
    private MemoryNode node = start(false);

    private MemoryNode start(boolean waits) {
        return start(waits, MemberList.NONE);
    }

    private MemoryNode start(boolean waits, MemberList list) {
        MemoryNode started = MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(32)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .leaseMargin(MARGIN)
                        .formerLease(LEASE)
                        .waitOutOldSessions(waits)
                        .secondsSince2025(seconds::get)
                        .build(),
                time,
                time,
                () -> random.addAndGet(0x9E3779B97F4A7C15L),
                null,
                list,
                Term.UNLIMITED);
        started.predecessors().askThrough(questions);
        return started;
    }

    /** What was asked; answered when the test says so. */
    private static final class Questions implements PredecessorProbe {
        final List<String> asked = new ArrayList<>();
        final Map<String, Consumer<PredecessorAnswer>> open = new HashMap<>();

        /** The addresses of {@code SocketAddresses}, which writes them out. */
        @Override
        public boolean isWrittenOut(String address) {
            InetSocketAddress written = SocketAddresses.parse(address);
            return written != null
                    && written.getPort() != 0
                    && SocketAddresses.textOf(written).equals(address);
        }

        @Override
        public void ask(String address, Consumer<PredecessorAnswer> told) {
            asked.add(address);
            open.put(address, told);
        }

        /** Answers the question to {@link #FORMER}. */
        void answer(PredecessorAnswer answer) {
            answer(FORMER, answer);
        }

        void answer(FormerMemoryNode former, PredecessorAnswer answer) {
            Consumer<PredecessorAnswer> told = open.remove(former.address());
            assertThat(told).as("a question that is open").isNotNull();
            told.accept(answer);
        }
    }

    private JoinRequest request(String name, FormerMemoryNode former) {
        return new JoinRequest(
                name.hashCode(), time.nanoTime(), name, "", NodeSet.NONE, 0, LEASE.toNanos(), former, false);
    }

    private MemoryNodeSession join(String name, FormerMemoryNode former, SessionListener listener)
            throws FabricException.Refused {
        return node.join(request(name, former), "192.0.2.9:7420", listener);
    }

    private MemoryNodeSession join(String name, FormerMemoryNode former) throws FabricException.Refused {
        return join(name, former, new RecordingListener());
    }

    private FabricException.Refused refusal(String name, FormerMemoryNode former) {
        return catchThrowableOfType(FabricException.Refused.class, () -> join(name, former));
    }

    private void assertRefused(Reason reason, String name, FormerMemoryNode former) {
        FabricException.Refused refusal = refusal(name, former);
        assertThat(refusal).as("%s was let in", name).isNotNull();
        assertThat(refusal.reason()).as(refusal.getMessage()).isEqualTo(reason);
    }

    private static Resolution resolve(MemoryNodeSession session, String name) {
        List<Resolution> found = new ArrayList<>();
        session.resolve(name.getBytes(StandardCharsets.UTF_8), true, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution resolution) {
                found.add(resolution);
            }

            @Override
            public void refused(FabricException.Refused refusal) {
                throw new AssertionError(refusal);
            }
        });
        return found.get(0);
    }

    private void beginTwin() {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        questions.answer(LIVES);
    }

    // ---------------------------------------------------------------- which memory nodes are asked

    @Test
    void aPredecessorIsAskedBeforeWhoReportsItIsLetIn() throws Exception {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        assertRefused(Reason.NOT_YET, "b", FORMER);
        assertThat(questions.asked).as("one question at a time").containsExactly(FORMER.address());
        join("c", FormerMemoryNode.NONE);
        questions.answer(NOBODY);
        join("b", FORMER);
        join("d", FORMER);
        assertThat(questions.asked).as("what is gone is not asked again").hasSize(1);
        assertThat(node.status().sessions()).hasSize(3);
    }

    @Test
    void whoWasHereBeforeOrNowhereIsLetInAtOnce() throws Exception {
        join("a", new FormerMemoryNode(node.incarnation(), FORMER.address()));
        join("b", new FormerMemoryNode(FORMER.incarnation(), ""));
        assertThat(questions.asked).isEmpty();
        MemoryNode alone = MemoryNode.create(node.settings(), time, time, () -> 42);
        alone.join(request("a", FORMER), new RecordingListener());
    }

    @Test
    void anotherMemoryNodeAtTheAddressOfThePredecessorIsNoTwin() throws Exception {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        questions.answer(PredecessorAnswer.memoryNode("another", FORMER.incarnation()));
        join("b", FORMER);
        assertThat(node.status().twins()).isZero();
    }

    @Test
    void aThirdLifeAtTheAddressOfThePredecessorIsATwin() {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        questions.answer(PredecessorAnswer.memoryNode("mn", 99));
        assertRefused(Reason.TWO_MEMORY_NODES, "b", FORMER);
    }

    @Test
    void anAnswerCountsOnce() throws Exception {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        Consumer<PredecessorAnswer> told = questions.open.get(FORMER.address());
        questions.answer(NOBODY);
        told.accept(LIVES);
        join("b", FORMER);
    }

    // ---------------------------------------------------------------- a predecessor that lives

    @Test
    void besideALivingPredecessorNobodyIsLetInAndNobodyStays() throws Exception {
        RecordingListener told = new RecordingListener();
        MemoryNodeSession early = join("early", FormerMemoryNode.NONE, told);
        beginTwin();
        assertThat(early.isCut()).isTrue();
        assertThat(told.losses).hasSize(1);
        assertThat(told.losses.get(0)).hasMessageContaining(FORMER.address());
        assertThat(node.status().sessions()).isEmpty();
        assertThat(node.status().serving()).isFalse();
        assertThat(node.status().twins()).isEqualTo(1);
        assertThat(node.status().twin()).contains("'mn'", FORMER.address());
        for (String name : new String[] {"early", "b", "new"}) {
            assertRefused(Reason.TWO_MEMORY_NODES, name, name.equals("b") ? FORMER : FormerMemoryNode.NONE);
        }
        assertThat(refusal("b", FORMER)).hasMessageContainingAll("'mn'", "192.0.2.9:7420", FORMER.address(), "Stop");
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofSeconds(1));
            questions.answer(LIVES);
        }
        assertThat(questions.asked).as("once a second").hasSize(21);
        assertThat(node.status().twins()).as("the same one").isEqualTo(1);
        assertRefused(Reason.TWO_MEMORY_NODES, "b", FORMER);
    }

    @Test
    void onceThePredecessorIsGoneItStartsOver() throws Exception {
        MemoryNodeSession early = join("early", FormerMemoryNode.NONE);
        long epoch = resolve(early, "x").epoch();
        beginTwin();
        time.advance(Duration.ofSeconds(1));
        seconds.addAndGet(5_000);
        questions.answer(NOBODY);
        assertThat(node.status().twin()).isEmpty();
        assertThat(node.status().recordsInUse())
                .as("names that the other one served meanwhile")
                .isZero();
        time.advance(LONGEST.minusMillis(1));
        assertThat(node.status().serving()).isFalse();
        assertRefused(Reason.NOT_YET, "early", FormerMemoryNode.NONE);
        assertRefused(Reason.NOT_YET, "b", FORMER);
        time.advance(Duration.ofMillis(1));
        assertThat(node.status().serving()).isTrue();
        MemoryNodeSession session = join("b", FORMER);
        assertThat(resolve(session, "x").epoch()).isGreaterThan(seconds.get()).isGreaterThan(epoch);
        time.advance(Duration.ofSeconds(1));
        assertThat(questions.asked).as("asked no more").hasSize(2);
    }

    @Test
    void theValuesOfForgottenNamesAreForgottenToo() throws Exception {
        MemoryNodeSession early = join("early", FormerMemoryNode.NONE);
        Resolution x = resolve(early, "x");
        node.region().execute(Verb.FETCH_AND_ADD, node.layout().header(x.record()), LockHeader.acquire(true), 0);
        early.writeValue(new ValueWriting(x.record(), x.epoch(), 0, 7, new byte[] {1}));
        assertThat(node.status().values()).isEqualTo(1);
        beginTwin();
        time.advance(Duration.ofSeconds(1));
        questions.answer(NOBODY);
        assertThat(node.status().values()).isZero();
    }

    @Test
    void aRecordWhoseEpochNoResetCanHaveReachedIsNotForgottenEither() throws Exception {
        MemoryNodeSession early = join("early", FormerMemoryNode.NONE);
        resolve(early, "sound");
        long spoilt = resolve(early, "spoilt").record();
        node.region().write(node.layout().epoch(spoilt), (1L << 32) - 2);
        beginTwin();
        time.advance(Duration.ofSeconds(1));
        questions.answer(NOBODY);
        assertThat(node.status().quarantined()).isEqualTo(1);
        assertThat(node.status().recordsInUse()).isEqualTo(1);
        time.advance(LONGEST);
        assertThat(resolve(join("b", FORMER), "next").epoch())
                .as("names to come must not start above it")
                .isLessThan(seconds.get() + 100);
    }

    @Test
    void aPredecessorThatFallsSilentCountsAsLivingUntilItsLeasesHaveRunOut() throws Exception {
        beginTwin();
        time.advance(Duration.ofSeconds(1));
        questions.answer(SILENCE);
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofSeconds(1));
            questions.answer(SILENCE);
            assertRefused(Reason.TWO_MEMORY_NODES, "b", FORMER);
        }
        time.advance(Duration.ofSeconds(1));
        questions.answer(SILENCE);
        // Four seconds of silence are longer than any lease: there is nothing left to wait for.
        join("b", FORMER);
    }

    @Test
    void everyPredecessorMustBeGone() throws Exception {
        PredecessorAnswer otherLives = PredecessorAnswer.memoryNode("mn", OTHER.incarnation());
        assertRefused(Reason.NOT_YET, "b", FORMER);
        assertRefused(Reason.NOT_YET, "c", OTHER);
        questions.answer(LIVES);
        questions.answer(OTHER, otherLives);
        time.advance(Duration.ofSeconds(1));
        questions.answer(OTHER, otherLives);
        questions.answer(NOBODY);
        assertRefused(Reason.TWO_MEMORY_NODES, "b", FORMER);
        time.advance(LONGEST.minusSeconds(2));
        assertRefused(Reason.TWO_MEMORY_NODES, "b", FORMER);
        questions.answer(OTHER, NOBODY);
        assertThat(node.status().twin()).isEmpty();
        assertThat(node.status().twins()).isEqualTo(1);
        time.advance(LONGEST.minusMillis(1));
        assertRefused(Reason.NOT_YET, "b", FORMER);
        time.advance(Duration.ofMillis(1));
        join("b", FORMER);
    }

    @Test
    void itDoesNotStartOverWhileVerbsOfASessionMayStillLand() throws Exception {
        MemoryNodeSession early = join("early", FormerMemoryNode.NONE);
        List<Runnable> cuts = new ArrayList<>();
        early.attach(cuts::add);
        beginTwin();
        time.advance(Duration.ofSeconds(1));
        questions.answer(NOBODY);
        time.advance(LONGEST);
        assertRefused(Reason.TWO_MEMORY_NODES, "b", FORMER);
        cuts.get(0).run();
        time.advance(Duration.ofSeconds(1));
        join("b", FORMER);
    }

    @Test
    void whoJoinsWhileThePredecessorIsFoundIsNotLeftBehind() throws Exception {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        // Told of the one that joins, in the middle of its joining.
        join("first", FormerMemoryNode.NONE, new SessionListener() {
            @Override
            public void membershipChanged(Membership membership) {
                questions.answer(LIVES);
            }

            @Override
            public void peerMessage(PeerMessage message) {}

            @Override
            public void reclaimProposed(long round, long[] records) {}

            @Override
            public void lost(FabricException cause) {}
        });
        assertRefused(Reason.TWO_MEMORY_NODES, "second", FormerMemoryNode.NONE);
        assertThat(node.status().sessions()).isEmpty();
    }

    // ---------------------------------------------------------------- a predecessor that does not answer

    @Test
    void silenceSaysNothingBeforeItIsLongerThanAnyLease() throws Exception {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        questions.answer(SILENCE);
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofSeconds(1));
            questions.answer(SILENCE);
            assertRefused(Reason.NOT_YET, "b", FORMER);
        }
        time.advance(Duration.ofSeconds(1));
        questions.answer(SILENCE);
        join("b", FORMER);
    }

    @Test
    void aPredecessorThatWasPausedIsFoundWhenItGoesOn() {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        questions.answer(SILENCE);
        time.advance(Duration.ofSeconds(1));
        questions.answer(LIVES);
        assertRefused(Reason.TWO_MEMORY_NODES, "b", FORMER);
    }

    @Test
    void aQuestionThatIsLostIsAskedAgain() throws Exception {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        time.advance(Duration.ofSeconds(20));
        assertThat(questions.asked).hasSizeBetween(2, 4);
        join("b", FORMER);
    }

    // ---------------------------------------------------------------- the wait of the start

    @Test
    void theWaitOfTheStartCountsFromWhenThePredecessorWasStillThereAtTheLatest() throws Exception {
        node = start(true);
        time.advance(Duration.ofHours(1));
        assertThat(node.status().serving()).isTrue();
        assertRefused(Reason.NOT_YET, "b", FORMER);
        questions.answer(NOBODY);
        assertThat(node.status().serving()).as("it may have died a moment ago").isFalse();
        time.advance(LONGEST.minusMillis(1));
        assertRefused(Reason.NOT_YET, "b", FORMER);
        time.advance(Duration.ofMillis(1));
        join("b", FORMER);
        assertRefused(Reason.NOT_YET, "c", OTHER);
        questions.answer(OTHER, NOBODY);
        // A late answer of a memory node that is gone: sessions stay, and no compute node waits any more.
        join("c", OTHER);
    }

    @Test
    void aListThatNobodyJoinedIsNotCompleteWhileAPredecessorThatIsGoneMayHaveGrantedLeases() throws Exception {
        MembersInMemory members = new MembersInMemory();
        node = start(true, members.nextLife());
        time.advance(LONGEST);
        assertThat(members.isComplete()).isTrue();
        assertRefused(Reason.NOT_YET, "a", FORMER);
        questions.answer(NOBODY);
        assertThat(members.isComplete()).as("the wait is longer now").isFalse();
        assertRefused(Reason.NOT_YET, "a", FORMER);
        time.advance(LONGEST);
        join("a", FORMER);
        assertThat(members.isComplete()).isTrue();
    }

    @Test
    void whatAnswersItselfAtTheFormerAddressDoesNotProlongTheWait() throws Exception {
        node = start(true);
        time.advance(Duration.ofSeconds(1));
        assertRefused(Reason.NOT_YET, "b", FORMER);
        questions.answer(PredecessorAnswer.memoryNode("mn", node.incarnation()));
        time.advance(LONGEST.minusSeconds(1));
        join("b", FORMER);
    }

    // ---------------------------------------------------------------- bounds

    @Test
    void madeUpPredecessorsTakeBoundedRoom() throws Exception {
        for (int i = 0; i < 40; i++) {
            assertRefused(Reason.NOT_YET, "b", new FormerMemoryNode(2 * i + 3, "192.0.2.1:" + (i + 1)));
        }
        assertThat(questions.asked).hasSize(PredecessorTable.MOST_ASKED);
        join("c", FormerMemoryNode.NONE);
        time.advance(LONGEST.plusSeconds(10));
        int before = questions.asked.size();
        for (int i = 0; i <= PredecessorTable.MOST_GONE; i++) {
            FormerMemoryNode madeUp = new FormerMemoryNode(2 * i + 101, "192.0.2.3:7420");
            assertRefused(Reason.NOT_YET, "b", madeUp);
            questions.answer(madeUp, NOBODY);
        }
        assertThat(questions.asked).hasSize(before + PredecessorTable.MOST_GONE + 1);
        assertRefused(Reason.NOT_YET, "b", new FormerMemoryNode(101, "192.0.2.3:7420"));
        assertThat(questions.asked).as("the oldest was forgotten").hasSize(before + PredecessorTable.MOST_GONE + 2);
    }

    @Test
    void nothingButAnAddressIsAsked() {
        for (String address : new String[] {
            "localhost:7420",
            "metadata.example:80",
            "192.0.2.1",
            "192.0.2.1:0",
            "192.0.2.1:70000",
            "a@192.0.2.1:80",
            "192.0.2.1:80/x",
            "[fe80::1%eth0]:80",
            "192.0.2.01:80",
            "x".repeat(300)
        }) {
            assertRefused(Reason.BAD_REQUEST, "b", new FormerMemoryNode(3, address));
        }
        assertThat(questions.asked).isEmpty();
        assertRefused(Reason.NOT_YET, "b", new FormerMemoryNode(3, "[2001:db8::1]:7420"));
        assertThat(questions.asked).containsExactly("[2001:db8::1]:7420");
    }

    @Test
    void aClosedMemoryNodeAsksNobody() {
        assertRefused(Reason.NOT_YET, "b", FORMER);
        node.close();
        questions.answer(SILENCE);
        time.advance(Duration.ofSeconds(10));
        assertThat(questions.asked).hasSize(1);
    }
}
