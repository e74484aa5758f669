// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.internal.layout.LockHeader;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.GivenUp;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.NodeList;
import io.declock.spi.NodeSet;
import io.declock.spi.RecordingListener;
import io.declock.spi.Resolution;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two memory nodes, a third one that is added, and one that is removed (rules M1, M3, M4 and M5). */
class NameTransferTest {
    private static final Duration LEASE = Duration.ofSeconds(3);

    private final ManualTime time = new ManualTime();
    private final AtomicLong random = new AtomicLong(7);
    private final Map<String, MembersInMemory> places = new HashMap<>();
    private final Map<String, MemoryNode> nodes = new HashMap<>();
    private final NodeList added = new NodeList(1, List.of(node("a"), node("b"), node("c")), node("c"), true);
    private final NodeList removed = new NodeList(2, List.of(node("a"), node("c")), node("b"), false);

    @BeforeEach
    void start() {
        for (String id : List.of("a", "b", "c")) {
            places.put(id, new MembersInMemory());
            start(id);
        }
    }

    private MemoryNode start(String id) {
        MemoryNode started = MemoryNode.create(
                MemoryNodeSettings.builder(id)
                        .records(64)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .formerLease(LEASE)
                        .waitOutOldSessions(false)
                        .secondsSince2025(() -> 1_000)
                        .build(),
                time,
                time,
                () -> random.addAndGet(0x9E3779B97F4A7C15L),
                null,
                places.get(id).nextLife(),
                Term.UNLIMITED);
        nodes.put(id, started);
        return started;
    }

    private static NodeList.Node node(String id) {
        return new NodeList.Node(id, "tcp://" + id + ":7420");
    }

    private MemoryNodeSession join(String at, String name, boolean knowsLists) throws Exception {
        return join(at, name, knowsLists, new RecordingListener());
    }

    private MemoryNodeSession join(String at, String name, boolean knowsLists, RecordingListener listener)
            throws Exception {
        JoinRequest request = new JoinRequest(name.hashCode(), random.get(), name, "", 0, LEASE.toNanos());
        return nodes.get(at).join(request, "", new Abilities(knowsLists, true), listener);
    }

    private MemoryNodeSession join(String at, String name) throws Exception {
        return join(at, name, true);
    }

    /** What a request was answered. */
    private static final class Outcome<T> {
        private @Nullable T done;
        private FabricException.@Nullable Refused refused;

        void done(T value) {
            done = value;
        }

        void refused(FabricException.Refused why) {
            refused = why;
        }

        NodeLists.Answer<T> answer() {
            return new NodeLists.Answer<>(this::done, this::refused);
        }
    }

    private NodeLists lists(MemoryNodeSession session) {
        return nodes.get(session.joined().memoryNodeId()).nodeLists();
    }

    private Outcome<NodeList> declare(MemoryNodeSession session, NodeList list) {
        Outcome<NodeList> outcome = new Outcome<>();
        lists(session).declare(session, list, outcome.answer());
        return outcome;
    }

    private Outcome<Long> givenUp(MemoryNodeSession session, long number) {
        Outcome<Long> outcome = new Outcome<>();
        lists(session).awaitGivenUp(session, number, outcome.answer());
        return outcome;
    }

    private Outcome<Long> takeOver(MemoryNodeSession session, GivenUp word) {
        Outcome<Long> outcome = new Outcome<>();
        lists(session).takeOver(word, outcome.answer());
        return outcome;
    }

    private static Outcome<Resolution> resolve(MemoryNodeSession session, String name) {
        Outcome<Resolution> outcome = new Outcome<>();
        session.resolve(bytes(name), true, new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution found) {
                if (found != null) {
                    outcome.done(found);
                }
            }

            @Override
            public void refused(FabricException.Refused why) {
                outcome.refused(why);
            }
        });
        return outcome;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns a name that a list moves from one memory node to another. */
    private static String moved(NodeList list, String from, String to) {
        for (int i = 0; ; i++) {
            String name = "name-" + i;
            long hash = NodeSet.hash(name);
            if (list.former().homeOf(hash) == NodeSet.hash(from) && list.set().homeOf(hash) == NodeSet.hash(to)) {
                return name;
            }
        }
    }

    private static void assertRefused(Reason reason, String message, Attempt attempt) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(
                        FabricException.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private void publish(NodeList list) throws Exception {
        List<MemoryNodeSession> sessions = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            sessions.add(join(id, "publisher"));
        }
        for (MemoryNodeSession session : sessions) {
            lists(session).propose(session, list);
        }
        for (MemoryNodeSession session : sessions) {
            assertThat(declare(session, list).done).isEqualTo(list);
            session.leave(() -> {});
        }
    }

    /** Returns a session at "a" that has declared one list, while the memory node has the next one already. */
    private MemoryNodeSession usesTheListBefore() throws Exception {
        MemoryNodeSession session = join("a", "service");
        publish(added);
        declare(session, added);
        MemoryNodeSession atTarget = join("c", "service");
        takeOver(atTarget, new GivenUp("a", 1, 3_000));
        takeOver(atTarget, new GivenUp("b", 1, 3_000));
        publish(removed);
        return session;
    }

    // ---------------------------------------------------------------- one list per number

    @Test
    void aMemoryNodeAgreesToOneListOfANumberForAsLongAsTheProposingSessionLasts() throws Exception {
        NodeList other = new NodeList(1, List.of(node("a")), node("b"), false);
        MemoryNodeSession first = join("a", "first");
        MemoryNodeSession second = join("a", "second");
        lists(first).propose(first, added);
        lists(first).propose(first, added);
        lists(second).propose(second, added);
        assertRefused(Reason.NOT_YET, "has agreed to list 1", () -> lists(first).propose(first, other));
        second.leave(() -> {});
        lists(first).propose(first, other);
    }

    @Test
    void aListThatCouldNotBeWrittenStandsInTheWayOfAnotherOne() throws Exception {
        NodeList other = new NodeList(1, List.of(node("a")), node("b"), false);
        MemoryNodeSession first = join("a", "first");
        lists(first).propose(first, added);
        places.get("a").fail("the disk is full");
        assertThat(declare(first, added).refused).hasMessageContaining("the disk is full");
        first.leave(() -> {});
        places.get("a").fail("");
        MemoryNodeSession second = join("a", "second");
        assertRefused(Reason.NOT_YET, "was given list 1", () -> lists(second).propose(second, other));
        lists(second).propose(second, added);
        assertThat(declare(second, added).done).isEqualTo(added);
    }

    @Test
    void aListIsRefusedThatDoesNotFollow() throws Exception {
        MemoryNodeSession session = join("a", "publisher");
        assertRefused(Reason.BAD_NODE_SET, "cannot follow", () -> lists(session).propose(session, removed));
        NodeList twice = new NodeList(1, List.of(node("a"), node("a")), node("a"), true);
        assertRefused(
                Reason.BAD_REQUEST, "takes no list 1", () -> lists(session).propose(session, twice));
        NodeList without = new NodeList(1, List.of(node("a")), node("b"), true);
        assertRefused(
                Reason.BAD_REQUEST, "takes no list 1", () -> lists(session).propose(session, without));
        NodeList lines = new NodeList(1, List.of(node("a"), node("b\nc")), node("b\nc"), true);
        assertRefused(
                Reason.BAD_REQUEST, "control characters", () -> lists(session).propose(session, lines));
        NodeList.Node far = new NodeList.Node("b", "tcp://" + "b".repeat(KeptNodes.MAX_BYTES) + ":7420");
        NodeList large = new NodeList(1, List.of(node("a"), far), far, true);
        assertRefused(
                Reason.BAD_REQUEST, "use shorter ids", () -> lists(session).propose(session, large));
    }

    @Test
    void aListIsRefusedWhileAnEarlierReleaseIsJoinedOrNamesMove() throws Exception {
        MemoryNodeSession session = join("a", "publisher");
        MemoryNodeSession old = join("a", "old", false);
        assertRefused(
                Reason.NOT_YET,
                "is of a release that knows no lists",
                () -> lists(session).propose(session, added));
        old.leave(() -> {});
        MemoryNodeSession busy = join("a", "busy");
        lists(session).propose(session, added);
        declare(session, added);
        assertRefused(
                Reason.NOT_YET, "has not given up yet", () -> lists(session).propose(session, removed));
        declare(busy, added);
        lists(session).propose(session, removed);
    }

    @Test
    void aListThatASessionHasDeclaredIsConfirmedAgainAlthoughAnotherOneHasFollowed() throws Exception {
        MemoryNodeSession session = usesTheListBefore();
        assertThat(nodes.get("a").nodeLists().state().list()).isEqualTo(removed);

        assertThat(declare(session, added).done)
                .as("the answer to a request that was made again because its connection broke")
                .isEqualTo(added);
        assertThat(nodes.get("a").nodeLists().state().undeclared()).isEqualTo(1);
    }

    // ---------------------------------------------------------------- giving up

    @Test
    void namesAreGivenUpWhenEverySessionHasDeclaredOrEnded() throws Exception {
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession stays = join("a", "stays", true, listener);
        MemoryNodeSession ends = join("a", "ends");
        publish(added);
        MemoryNodeSession late = join("a", "late");
        assertThat(late.joined().nodes().list()).isEqualTo(added);
        Outcome<Long> word = givenUp(late, 1);
        assertThat(nodes.get("a").nodeLists().state().undeclared()).isEqualTo(2);
        declare(stays, added);
        assertThat(word.done).isNull();
        ends.leave(() -> {});
        assertThat(word.done).isNotNull();
        assertThat(givenUp(late, 2).refused).hasMessageContaining("does not have list 2");
    }

    @Test
    void beforeThatAComputeNodeGoesOnByTheFormerListAndAfterItNobodyDoes() throws Exception {
        String name = moved(added, "a", "c");
        MemoryNodeSession session = join("a", "service");
        publish(added);
        Resolution found = resolve(session, name).done;
        assertThat(found).isNotNull();
        MemoryNodeSession late = join("a", "late");
        assertThat(resolve(late, name).refused).hasMessageContaining("does not belong to memory node a by list 1");
        declare(session, added);
        assertThat(resolve(session, name).refused).hasMessageContaining("does not belong to memory node a by list 1");
    }

    /** A process that has gone over to one list goes on by that one while the next is there, and not by the one before. */
    @Test
    void aNameThatWasGivenUpByTheListBeforeIsNotResolvedForASessionThatHasNotDeclaredThisOne() throws Exception {
        String name = moved(added, "a", "c");
        MemoryNodeSession session = usesTheListBefore();
        assertThat(resolve(session, name).refused).hasMessageContaining("does not belong to memory node a by list 2");
        assertThat(resolve(session, moved(removed, "a", "a")).done).isNotNull();
    }

    @Test
    void theWordHasAnEpochAboveThoseOfTheNamesAndANameThatComesBackGetsAnotherRecord() throws Exception {
        String name = moved(added, "b", "c");
        MemoryNodeSession session = join("b", "service");
        long record = resolve(session, name).done.record();
        MemoryNode b = nodes.get("b");
        b.region().write(b.layout().epoch(record), 5_000);
        publish(added);
        declare(session, added);
        assertThat(givenUp(session, 1).done).isGreaterThan(5_000);
        NodeList back = new NodeList(2, List.of(node("a"), node("b")), node("c"), false);
        lists(session).propose(session, back);
        declare(session, back);
        Outcome<Resolution> again = resolve(session, name);
        assertThat(again.done).isNull();
        takeOver(session, new GivenUp("c", 2, 6_000));
        assertThat(again.done.record()).isNotEqualTo(record);
        assertThat(again.done.epoch()).isGreaterThan(6_000);
    }

    // ---------------------------------------------------------------- taking over

    @Test
    void namesWaitForTheWordOfTheirSourceAndHoldsAreRestoredUntilThen() throws Exception {
        String ofA = moved(added, "a", "c");
        String ofB = moved(added, "b", "c");
        publish(added);
        MemoryNodeSession holder = join("c", "holder");
        MemoryNodeSession other = join("c", "other");
        assertThat(other.joined().nodes().awaited()).containsExactlyInAnyOrder("a", "b");
        long record = holder.restore(bytes(ofA), true, 1_500);
        Outcome<Resolution> waits = resolve(other, ofA);
        Outcome<Resolution> stillWaits = resolve(other, ofB);
        assertRefused(Reason.BAD_REQUEST, "refuses to restore", () -> other.restore(bytes(ofA), false, 1_500));
        assertThat(waits.done).isNull();
        Outcome<Long> epoch = takeOver(other, new GivenUp("a", 1, 3_000));
        assertThat(epoch.done).isGreaterThan(3_000);
        assertThat(waits.done.record()).isEqualTo(record);
        MemoryNode c = nodes.get("c");
        long header = c.region().read(c.layout().header(record));
        assertThat(LockHeader.size(header)).isEqualTo(1);
        assertThat(LockHeader.writers(header)).isEqualTo(1);
        assertThat(c.region().read(c.layout().epoch(record))).isEqualTo(epoch.done);
        assertThat(takeOver(holder, new GivenUp("a", 1, 3_000)).done).isEqualTo(epoch.done);
        assertThat(stillWaits.done).isNull();
        assertRefused(Reason.SESSION_OVER, "restores no hold", () -> other.restore(bytes(ofA), false, 1_500));
        takeOver(other, new GivenUp("b", 1, 3_000));
        assertThat(stillWaits.done).isNotNull();
        assertThat(c.nodeLists().state().awaited()).isEmpty();
    }

    @Test
    void aWordAboutAnotherListOrWithAnImpossibleEpochIsRefused() throws Exception {
        publish(added);
        MemoryNodeSession session = join("c", "service");
        assertThat(takeOver(session, new GivenUp("a", 2, 3_000)).refused.reason())
                .isEqualTo(Reason.NOT_YET);
        assertThat(takeOver(session, new GivenUp("a", 1, Long.MAX_VALUE))
                        .refused
                        .reason())
                .isEqualTo(Reason.BAD_REQUEST);
        assertThat(nodes.get("c").nodeLists().state().awaited()).hasSize(2);
    }

    @Test
    void aHoldOfASessionThatHasEndedIsNotWritten() throws Exception {
        String name = moved(added, "a", "c");
        publish(added);
        MemoryNodeSession holder = join("c", "holder");
        MemoryNodeSession other = join("c", "other");
        long record = holder.restore(bytes(name), true, 1_500);
        holder.leave(() -> {});
        takeOver(other, new GivenUp("a", 1, 3_000));
        MemoryNode c = nodes.get("c");
        assertThat(LockHeader.size(c.region().read(c.layout().header(record)))).isZero();
    }

    // ---------------------------------------------------------------- the next life

    @Test
    void aMemoryNodeThatStartsAgainKnowsItsListAndWhomItAwaits() throws Exception {
        String ofA = moved(added, "a", "c");
        String ofB = moved(added, "b", "c");
        publish(added);
        takeOver(join("c", "service"), new GivenUp("a", 1, 3_000));
        places.get("c").complete();
        places.get("a").complete();
        start("c");
        start("a");
        time.advance(LEASE.multipliedBy(2));
        MemoryNodeSession atC = join("c", "service2");
        assertThat(atC.joined().nodes().list()).isEqualTo(added);
        assertThat(atC.joined().nodes().awaited()).containsExactly("b");
        assertThat(resolve(atC, ofA).done).isNotNull();
        assertThat(resolve(atC, ofB).done).isNull();
        MemoryNodeSession atA = join("a", "service2");
        assertThat(resolve(atA, ofA).refused).isNotNull();
        assertThat(givenUp(atA, 1).done).isNotNull();
    }

    /** Another process has carried the word in the former life. */
    @Test
    void aProcessThatWaitsForTheWordOfAFormerLifeGetsItOnceAnotherListHasFollowed() throws Exception {
        publish(added);
        places.get("a").complete();
        start("a");
        MemoryNodeSession waiting = join("a", "waiting");
        MemoryNodeSession further = join("a", "further");
        assertThat(declare(further, removed).done).isEqualTo(removed);
        assertThat(nodes.get("a").nodeLists().state().undeclared()).isEqualTo(1);
        assertThat(givenUp(waiting, 1).done).as("the word by list 1").isNotNull();
        assertThat(givenUp(waiting, 2).done).as("the word by list 2").isNull();
    }

    @Test
    void aSourceThatStartsAgainHasNotGivenUpBeforeItsGraceIsOver() throws Exception {
        MemoryNodeSession lost = join("a", "lost");
        places.get("a").complete();
        publish(added);
        assertThat(lost.isCut()).isFalse();
        start("a");
        MemoryNodeSession fresh = join("a", "fresh");
        Outcome<Long> word = givenUp(fresh, 1);
        assertThat(word.done).isNull();
        time.advance(LEASE.multipliedBy(2));
        assertThat(word.done).isNotNull();
    }

    /** Time goes on for an hour while a session lives that uses no lock. */
    private void live(MemoryNodeSession session, RecordingListener listener) throws Exception {
        for (long left = Duration.ofHours(1).toSeconds(); left > 0; left--) {
            time.advance(Duration.ofSeconds(1));
            session.heartbeat();
            RecordingListener.Proposal proposal = listener.proposals.poll();
            if (proposal != null) {
                session.answerReclaim(proposal.round(), new long[0]);
            }
        }
    }

    @Test
    void aRecordInWhichAHoldWasRestoredIsNoOtherNamesUntilItIsWritten() throws Exception {
        publish(added);
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession other = join("c", "other", true, listener);
        MemoryNodeSession holder = join("c", "holder");
        holder.restore(bytes(moved(added, "a", "c")), true, 1_500);

        live(other, listener);
        assertThat(nodes.get("c").status().sessions())
                .as("the holder has ended")
                .hasSize(1);
        assertThat(nodes.get("c").status().recordsInUse()).isEqualTo(1);

        takeOver(other, new GivenUp("a", 1, 3_000));
        live(other, listener);
        assertThat(nodes.get("c").status().recordsInUse()).isZero();
    }
}
