// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.internal.layout.LockHeader;
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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A memory node with a list of its members, over several lives (rules H1, H2, H4 and H5). */
class GraceTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration MARGIN = Duration.ofMillis(500);

    private final ManualTime time = new ManualTime();
    private final AtomicLong seconds = new AtomicLong(1_000);
    private final AtomicLong random = new AtomicLong(7);
    private final AtomicLong attempts = new AtomicLong();
    private final MembersInMemory members = new MembersInMemory();
    private MemoryNode node = start(false);

    private MemoryNode start(boolean waitsForOthers) {
        return MemoryNode.create(
                MemoryNodeSettings.builder("mn")
                        .records(32)
                        .queueCapacity(8)
                        .maxLease(LEASE)
                        .leaseMargin(MARGIN)
                        .formerLease(LEASE)
                        .waitOutOldSessions(waitsForOthers)
                        .secondsSince2025(seconds::get)
                        .build(),
                time,
                time,
                () -> random.addAndGet(0x9E3779B97F4A7C15L),
                null,
                members.nextLife(),
                Term.UNLIMITED);
    }

    /** The memory node dies and starts again. Returns the former one's incarnation. */
    private long restart() {
        long former = node.incarnation();
        node = start(true);
        return former;
    }

    private JoinRequest request(String name, long former, boolean moves) {
        return new JoinRequest(
                name.hashCode(),
                attempts.incrementAndGet(),
                name,
                "",
                NodeSet.NONE,
                0,
                LEASE.toNanos(),
                former == 0 ? FormerMemoryNode.NONE : new FormerMemoryNode(former, "192.0.2.1:7420"),
                moves);
    }

    private MemoryNodeSession join(String name) throws Exception {
        return node.join(request(name, 0, false), new RecordingListener());
    }

    private MemoryNodeSession move(String name, long former) throws Exception {
        return node.join(request(name, former, true), new RecordingListener());
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private static long restore(MemoryNodeSession session, String name, boolean exclusive) throws Exception {
        return session.restore(bytes(name), exclusive, 900);
    }

    private long header(long record) {
        return node.region().read(node.layout().header(record));
    }

    private static void assertRefused(Reason reason, Attempt attempt) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(
                        FabricException.Refused.class,
                        refused -> assertThat(refused.reason())
                                .as(refused.getMessage())
                                .isEqualTo(reason));
    }

    private interface Attempt {
        void run() throws Exception;
    }

    /** What a resolution was answered. */
    private static final class Answer implements ResolveAnswer {
        @Nullable
        Resolution resolution;

        @Override
        public void resolved(@Nullable Resolution found) {
            resolution = found;
        }

        @Override
        public void refused(FabricException.Refused refused) {}
    }

    private static Answer resolve(MemoryNodeSession session, String name) {
        Answer answer = new Answer();
        session.resolve(bytes(name), true, answer);
        return answer;
    }

    // ---------------------------------------------------------------- the list

    @Test
    void theFirstLifeWithAListWaitsForTheLongestLeaseAndThenTheListIsComplete() throws Exception {
        MembersInMemory fresh = new MembersInMemory();
        MemoryNode first = firstLife(fresh);
        assertRefused(Reason.NOT_YET, () -> first.join(request("a", 0, false), new RecordingListener()));
        time.advance(LEASE.plus(MARGIN).minusNanos(1));
        assertThat(fresh.isComplete()).isFalse();
        assertRefused(Reason.NOT_YET, () -> first.join(request("a", 0, false), new RecordingListener()));
        time.advance(Duration.ofNanos(1));
        first.join(request("a", 0, false), new RecordingListener());
        assertThat(fresh.isComplete()).isTrue();
        assertThat(members.isComplete())
                .as("one that cannot have had an earlier life")
                .isTrue();
    }

    @Test
    void aLifeThatNobodyJoinedLeavesACompleteListOnceTheLongestLeaseIsOver() throws Exception {
        MembersInMemory fresh = new MembersInMemory();
        firstLife(fresh).close();
        time.advance(LEASE.plus(MARGIN));
        assertThat(fresh.isComplete()).as("it ended before").isFalse();
        MemoryNode second = firstLife(fresh);
        time.advance(LEASE.plus(MARGIN));
        assertThat(fresh.isComplete()).isTrue();
        second.close();
        MemoryNode third = firstLife(fresh);
        third.join(request("a", 0, false), new RecordingListener());
    }

    private MemoryNode firstLife(MembersInMemory fresh) {
        return MemoryNode.create(
                node.settings().waitOutOldSessions()
                        ? node.settings()
                        : MemoryNodeSettings.builder("mn")
                                .maxLease(LEASE)
                                .leaseMargin(MARGIN)
                                .formerLease(LEASE)
                                .build(),
                time,
                time,
                () -> random.addAndGet(3),
                null,
                fresh.nextLife(),
                Term.UNLIMITED);
    }

    @Test
    void aJoinIsToldWhenItIsWritten() throws Exception {
        members.hold();
        MemoryNodeSession session = join("a");
        List<String> told = new ArrayList<>();
        session.entry().whenWritten(() -> told.add("listed"), refusal -> told.add("refused"));
        assertThat(told).isEmpty();
        members.letGo();
        assertThat(told).containsExactly("listed");
        assertThat(members.nodeIds()).containsExactly(session.member().nodeId());
    }

    @Test
    void aJoinThatCannotBeWrittenIsRefusedAndHarmsNobody() throws Exception {
        MemoryNodeSession before = join("a");
        members.fail("the disk is full");
        MemoryNodeSession refused = join("b");
        List<String> told = new ArrayList<>();
        refused.entry()
                .whenWritten(
                        () -> told.add("listed"), refusal -> told.add(refusal.reason() + " " + refusal.getMessage()));
        assertThat(told).singleElement().asString().startsWith("NOT_YET").contains("the disk is full");
        assertThat(refused.isCut()).isTrue();
        assertThat(node.status().listProblem()).contains("the disk is full");
        before.heartbeat();
        assertThat(resolve(before, "x").resolution).isNotNull();
        members.fail("");
        MemoryNodeSession later = join("b");
        later.entry().whenWritten(() -> told.add("listed"), refusal -> told.add("refused again"));
        assertThat(told).hasSize(2).contains("listed");
        assertThat(node.status().listProblem()).isEmpty();
    }

    @Test
    void whoLeavesJoinsAgainOrIsSilentIsNoLongerOnTheList() throws Exception {
        MemoryNodeSession leaves = join("a");
        join("b");
        join("c");
        leaves.leave(() -> {});
        assertThat(members.nodeIds()).containsExactly(2, 3);
        MemoryNodeSession former = join("b");
        assertThat(former.member().nodeId()).isEqualTo(2);
        assertThat(members.nodeIds()).containsExactly(3, 2);
        time.advance(LEASE.plus(MARGIN).plusMillis(200));
        assertThat(members.nodeIds()).isEmpty();
    }

    @Test
    void aMemoryNodeThatStopsTellsOfNoEndAndKeepsItsMembersOnTheList() throws Exception {
        List<String> told = new ArrayList<>();
        MemoryNodeSession session = node.join(request("a", 0, false), new SessionListener() {
            @Override
            public void membershipChanged(Membership membership) {}

            @Override
            public void peerMessage(PeerMessage message) {}

            @Override
            public void reclaimProposed(long round, long[] records) {}

            @Override
            public void lost(FabricException cause) {
                told.add("lost");
            }

            @Override
            public void brokenOff(FabricException cause) {
                told.add("broken off");
            }
        });
        node.close();
        assertThat(told).containsExactly("broken off");
        assertThat(members.nodeIds()).containsExactly(1);
        assertThat(session.isCut()).isTrue();
        long former = restart();
        assertThat(move("a", former).isCut()).isFalse();
    }

    @Test
    void theMarkLiesAboveWhatComputeNodesReport() throws Exception {
        JoinRequest reports = new JoinRequest(5, 1, "a", "", 5_000, LEASE.toNanos());
        node.join(reports, new RecordingListener());
        assertThat(members.mark()).isGreaterThan(5_000);
        seconds.set(10);
        restart();
        Answer answer = resolve(join("b"), "x");
        time.advance(LEASE.plus(MARGIN));
        assertThat(answer.resolution)
                .isNotNull()
                .extracting(Resolution::epoch)
                .satisfies(epoch -> assertThat(epoch).isGreaterThan(5_000L));
    }

    // ---------------------------------------------------------------- the grace

    @Test
    void aLifeWhoseListIsEmptyServesAtOnce() throws Exception {
        restart();
        assertThat(resolve(join("a"), "x").resolution).isNotNull();
    }

    @Test
    void namesAreResolvedWhenEveryMemberHasMoved() throws Exception {
        join("a");
        join("b");
        long former = restart();
        MemoryNodeSession newcomer = join("new");
        Answer answer = resolve(newcomer, "x");
        MemoryNodeSession a = move("a", former);
        join("b");
        assertThat(answer.resolution).as("a has not said that it moved").isNull();
        a.moved();
        assertThat(answer.resolution).isNotNull();
        assertThat(resolve(newcomer, "y").resolution).isNotNull();
    }

    @Test
    void aSilentMemberIsWaitedForAsLongAsItsLeaseAndTheMargin() throws Exception {
        MemoryNodeSession silent = join("a");
        time.advance(Duration.ofSeconds(2));
        restart();
        MemoryNodeSession newcomer = join("new");
        assertThat(newcomer.member().nodeId()).isNotEqualTo(silent.member().nodeId());
        Answer answer = resolve(newcomer, "x");
        time.advance(LEASE.plus(MARGIN).minusMillis(1));
        assertThat(answer.resolution).isNull();
        assertThat(node.status().graceLeft()).isEqualTo(Duration.ofMillis(1));
        time.advance(Duration.ofMillis(1));
        assertThat(answer.resolution).isNotNull();
        assertThat(members.nodeIds()).doesNotContain(silent.member().nodeId());
    }

    @Test
    void aMemberThatMovedHalfIsWaitedForAsLongAsTheLongerOfItsLeases() throws Exception {
        JoinRequest shorter = request("a", 0, false);
        node.join(
                new JoinRequest(shorter.processId(), shorter.attempt(), "a", "", 0, LEASE.toNanos() / 3),
                new RecordingListener());
        long former = restart();
        move("a", former);
        restart();
        Answer answer = resolve(join("new"), "x");
        time.advance(LEASE.plus(MARGIN).minusMillis(1));
        assertThat(answer.resolution).isNull();
        time.advance(Duration.ofMillis(1));
        assertThat(answer.resolution).isNotNull();
    }

    @Test
    void tooManyResolutionsAreRefused() throws Exception {
        join("a");
        restart();
        MemoryNodeSession newcomer = join("new");
        List<Reason> refused = new ArrayList<>();
        ResolveAnswer answer = new ResolveAnswer() {
            @Override
            public void resolved(@Nullable Resolution found) {}

            @Override
            public void refused(FabricException.Refused refusal) {
                refused.add(refusal.reason());
            }
        };
        for (int i = 0; i < Grace.MOST_PARKED; i++) {
            newcomer.resolve(bytes("x"), true, answer);
        }
        assertThat(refused).isEmpty();
        newcomer.resolve(bytes("x"), true, answer);
        assertThat(refused).containsExactly(Reason.NOT_YET);
    }

    @Test
    void aMemberKeepsItsIdAndGetsAHigherIncarnation() throws Exception {
        join("a");
        MemoryNodeSession b = join("b");
        // Within the same second, so that the seconds do not tell the lives apart.
        long former = restart();
        MemoryNodeSession again = move("b", former);
        assertThat(again.member().nodeId()).isEqualTo(b.member().nodeId());
        assertThat(again.member().incarnation()).isGreaterThan(b.member().incarnation());
    }

    // ---------------------------------------------------------------- who may move

    @Test
    void onlyALaterLifeOnWhoseListAProcessIsLetsItMove() throws Exception {
        join("a");
        assertRefused(Reason.SESSION_OVER, () -> move("a", node.incarnation()));
        long former = restart();
        assertRefused(Reason.SESSION_OVER, () -> move("stranger", former));
        time.advance(LEASE.plus(MARGIN));
        assertRefused(Reason.SESSION_OVER, () -> move("a", former));
    }

    @Test
    void aRequestThatIsOlderThanTheFormerSessionIsOvertaken() throws Exception {
        JoinRequest late = request("a", 0, false);
        join("a");
        long former = restart();
        assertRefused(Reason.NOT_YET, () -> node.join(late, new RecordingListener()));
        MemoryNodeSession moves = move("a", former);
        restore(moves, "x", true);
        moves.moved();
        assertThat(node.status().restoredHolds()).isEqualTo(1);
    }

    @Test
    void aFormerLifeOfItsOwnIsNotAskedWhetherItLives() throws Exception {
        join("a");
        long former = restart();
        List<String> asked = new ArrayList<>();
        node.predecessors().askThrough(new PredecessorProbe() {
            @Override
            public boolean isWrittenOut(String address) {
                return true;
            }

            @Override
            public void ask(String address, Consumer<PredecessorAnswer> told) {
                asked.add(address);
            }
        });
        move("a", former);
        assertThat(asked).isEmpty();
        assertRefused(Reason.NOT_YET, () -> move("a", 4_711));
        assertThat(asked).containsExactly("192.0.2.1:7420");
    }

    @Test
    void anotherLivingMemoryNodeMakesTheListIncomplete() throws Exception {
        node.predecessors().askThrough(new PredecessorProbe() {
            @Override
            public boolean isWrittenOut(String address) {
                return true;
            }

            @Override
            public void ask(String address, Consumer<PredecessorAnswer> told) {
                told.accept(PredecessorAnswer.memoryNode("mn", 4_711));
            }
        });
        join("a");
        assertRefused(Reason.TWO_MEMORY_NODES, () -> node.join(request("b", 4_711, false), new RecordingListener()));
        assertThat(members.isComplete()).isFalse();
        assertThat(members.nodeIds())
                .as("its process may still trust its lease")
                .containsExactly(1);
    }

    // ---------------------------------------------------------------- holds

    @Test
    void theRecordOfARestoredHoldIsThatAfterAReset() throws Exception {
        join("writer");
        join("one");
        join("two");
        long former = restart();
        MemoryNodeSession writer = move("writer", former);
        MemoryNodeSession one = move("one", former);
        MemoryNodeSession two = move("two", former);
        long written = restore(writer, "w", true);
        long read = one.restore(bytes("r"), false, 4_000);
        assertThat(restore(two, "r", false)).isEqualTo(read);
        List<Long> epochs = new ArrayList<>();
        writer.awaitGrace(epochs::add);
        writer.moved();
        one.moved();
        assertThat(epochs).isEmpty();
        two.moved();
        long epoch = epochs.get(0);
        assertThat(epoch).isGreaterThan(4_000);
        assertThat(header(written)).isEqualTo(LockHeader.pack(epoch, 0, 1, 1));
        assertThat(header(read)).isEqualTo(LockHeader.pack(epoch, 0, 2, 0));
        assertThat(resolve(two, "w").resolution).isEqualTo(new Resolution(written, epoch, false));
        assertThat(node.status().restoredHolds()).isEqualTo(3);
    }

    @Test
    void whoRestoredAHoldIsAmongTheUsersOfItsRecord() throws Exception {
        join("a");
        long former = restart();
        MemoryNodeSession a = move("a", former);
        long record = restore(a, "x", true);
        a.moved();
        assertThat(join("b").members(record).users().members()).containsExactly(a.member());
    }

    @Test
    void aHoldOfAMemberThatHasNotMovedOrHasEndedDoesNotCount() throws Exception {
        join("silent");
        join("leaves");
        long former = restart();
        MemoryNodeSession silent = move("silent", former);
        MemoryNodeSession leaves = move("leaves", former);
        long one = restore(silent, "x", true);
        long two = restore(leaves, "y", true);
        leaves.moved();
        leaves.leave(() -> {});
        for (int i = 0; i < 8; i++) {
            time.advance(Duration.ofMillis(500));
            silent.heartbeat();
        }
        assertRefused(Reason.SESSION_OVER, silent::moved);
        assertThat(LockHeader.size(header(one))).isZero();
        assertThat(LockHeader.size(header(two))).isZero();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void aHoldThatContradictsAnotherIsRefused(boolean first, boolean second) throws Exception {
        join("a");
        join("b");
        long former = restart();
        MemoryNodeSession a = move("a", former);
        MemoryNodeSession b = move("b", former);
        long record = restore(a, "x", first);
        assertRefused(Reason.BAD_REQUEST, () -> restore(b, "x", second));
        a.moved();
        b.moved();
        assertThat(LockHeader.size(header(record))).isEqualTo(1);
        assertThat(LockHeader.writers(header(record))).isEqualTo(first ? 1 : 0);
        assertThat(node.status().refusedHolds()).isEqualTo(1);
    }

    @Test
    void aHoldCanBeRestoredTwiceAndByTheNextSessionOfItsProcess() throws Exception {
        join("a");
        long former = restart();
        MemoryNodeSession first = move("a", former);
        restore(first, "x", true);
        restore(first, "x", true);
        MemoryNodeSession second = move("a", former);
        long record = restore(second, "x", true);
        second.moved();
        second.moved();
        assertThat(LockHeader.size(header(record))).isEqualTo(1);
    }

    @Test
    void whatComesTooLateOrMakesNoSenseIsRefused() throws Exception {
        join("a");
        join("b");
        long former = restart();
        MemoryNodeSession newcomer = join("new");
        assertRefused(Reason.SESSION_OVER, () -> restore(newcomer, "x", true));
        MemoryNodeSession a = move("a", former);
        assertRefused(Reason.BAD_REQUEST, () -> restore(a, "", true));
        assertRefused(Reason.BAD_REQUEST, () -> restore(a, "x".repeat(2_000), true));
        assertRefused(Reason.BAD_REQUEST, () -> a.restore(bytes("x"), true, (1L << 32) - 1));
        assertRefused(Reason.BAD_REQUEST, () -> a.restore(bytes("x"), true, -1));
        a.moved();
        assertRefused(Reason.SESSION_OVER, () -> restore(a, "x", true));
        MemoryNodeSession b = move("b", former);
        b.moved();
        assertRefused(Reason.SESSION_OVER, () -> restore(b, "x", true));
    }

    @Test
    void aMemberThatMovedHalfMovesOnToTheNextLife() throws Exception {
        join("a");
        join("silent");
        long former = restart();
        MemoryNodeSession half = move("a", former);
        restore(half, "x", true);
        long second = restart();
        assertThat(second).isNotEqualTo(former);
        MemoryNodeSession whole = move("a", former);
        long record = restore(whole, "x", true);
        whole.moved();
        time.advance(LEASE.plus(MARGIN));
        assertThat(LockHeader.writers(header(record))).isEqualTo(1);
    }
}
