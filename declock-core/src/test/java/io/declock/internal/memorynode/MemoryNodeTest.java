// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.declock.internal.layout.LockHeader;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.Member;
import io.declock.spi.RecordingListener;
import io.declock.spi.Resolution;
import io.declock.spi.TestProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class MemoryNodeTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration MARGIN = Duration.ofMillis(500);

    private final ManualTime time = new ManualTime();
    private final AtomicLong seconds = new AtomicLong(1_000);
    private final AtomicLong random = new AtomicLong(7);

    private MemoryNodeSettings.Builder settings() {
        return MemoryNodeSettings.builder("mn")
                .records(32)
                .queueCapacity(4)
                .maxComputeNodes(4)
                .maxLease(LEASE)
                .leaseMargin(MARGIN)
                .formerLease(LEASE)
                .waitOutOldSessions(false)
                .reclaimInterval(Duration.ofSeconds(10))
                .secondsSince2025(seconds::get);
    }

    private MemoryNode start(MemoryNodeSettings settings) {
        return MemoryNode.create(settings, time, time, () -> random.addAndGet(0x9E3779B97F4A7C15L));
    }

    private static JoinRequest request(String name, long epoch) {
        return new JoinRequest(name.hashCode(), 1, name, "", epoch, LEASE.toNanos());
    }

    private static MemoryNodeSession join(MemoryNode node, String name, RecordingListener listener) throws Exception {
        return node.join(request(name, 0), listener);
    }

    private static Reason refusal(MemoryNode node, JoinRequest request) {
        try {
            node.join(request, new RecordingListener());
        } catch (FabricException.Refused e) {
            return e.reason();
        }
        throw new AssertionError("was not refused");
    }

    /** What a resolution was answered. */
    private static final class Answer implements ResolveAnswer {
        @Nullable
        Resolution resolution;

        FabricException.@Nullable Refused refusal;
        int calls;

        @Override
        public void resolved(@Nullable Resolution found) {
            resolution = found;
            calls++;
        }

        @Override
        public void refused(FabricException.Refused refused) {
            refusal = refused;
            calls++;
        }
    }

    private static Answer resolve(MemoryNodeSession session, String name) {
        Answer answer = new Answer();
        session.resolve(name.getBytes(StandardCharsets.UTF_8), true, answer);
        return answer;
    }

    private void live(Duration how, MemoryNodeSession... sessions) throws Exception {
        for (long left = how.toMillis(); left > 0; left -= 500) {
            time.advance(Duration.ofMillis(Math.min(left, 500)));
            for (MemoryNodeSession session : sessions) {
                session.heartbeat();
            }
        }
    }

    @Test
    void afterAStartWithEmptyMemoryItWaitsForTheLongestLease() throws Exception {
        MemoryNode node = start(settings().waitOutOldSessions(true).build());
        assertThat(node.status().serving()).isFalse();
        assertThat(refusal(node, request("a", 0))).isEqualTo(Reason.NOT_YET);
        time.advance(LEASE.plus(MARGIN).minusMillis(1));
        assertThat(refusal(node, request("a", 4_711))).isEqualTo(Reason.NOT_YET);
        time.advance(Duration.ofMillis(1));
        assertThat(node.status().serving()).isTrue();
        MemoryNodeSession session = join(node, "b", new RecordingListener());
        // The epoch that the refused process reported counts already.
        assertThat(resolve(session, "x").resolution)
                .isNotNull()
                .extracting(Resolution::epoch)
                .isEqualTo(4_712L);
    }

    @Test
    void aSecondLifeStartsAboveTheFirstAlthoughItsMemoryIsEmpty() throws Exception {
        MemoryNode first = start(settings().build());
        MemoryNodeSession a = join(first, "a", new RecordingListener());
        long epoch = resolve(a, "x").resolution.epoch();
        first.close();
        seconds.addAndGet(4);
        MemoryNode second = start(settings().build());
        MemoryNodeSession b = join(second, "a", new RecordingListener());
        assertThat(second.incarnation()).isNotEqualTo(first.incarnation());
        assertThat(resolve(b, "x").resolution.epoch()).isGreaterThan(epoch);
        assertThat(b.member().incarnation()).isGreaterThan(a.member().incarnation());
    }

    @Test
    void anImplausibleEpochIsRefused() {
        MemoryNode node = start(settings().build());
        assertThat(refusal(node, request("a", (1L << 32) - 1))).isEqualTo(Reason.BAD_REQUEST);
        assertThat(refusal(node, request("a", -1))).isEqualTo(Reason.BAD_REQUEST);
    }

    @Test
    void noNumberOfJoinsRaisesTheMarkBeyondWhatIsPlausible() throws Exception {
        MemoryNode node = start(settings().build());
        long limit = seconds.get() + HighWaterMark.PLAUSIBLE_LEAD;
        for (int i = 0; i < 40; i++) {
            refusal(node, request("a", node.status().highWaterMark() + (1L << 28)));
            refusal(node, request("b", limit + 1));
        }
        assertThat(node.status().highWaterMark()).isLessThan(limit);
        MemoryNodeSession session = join(node, "c", new RecordingListener());
        assertThat(resolve(session, "x").resolution.epoch()).isLessThan(limit);
    }

    @Test
    void withoutAnEpochLeftNobodyJoins() {
        seconds.set(HighWaterMark.MAX);
        MemoryNode node = start(settings().build());
        assertThat(refusal(node, request("a", 0))).isEqualTo(Reason.BAD_REQUEST);
    }

    @Test
    void aRecordWhoseEpochNoResetCanHaveReachedIsNeverGivenToAnotherName() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        long spoilt = resolve(a, "spoilt").resolution.record();
        long sound = resolve(a, "sound").resolution.record();
        long mark = node.status().highWaterMark();
        node.region().write(node.layout().epoch(spoilt), (1L << 32) - 2);
        for (int seconds = 0; seconds < 60; seconds++) {
            live(Duration.ofSeconds(1), a);
            for (var next = listener.proposals.poll(); next != null; next = listener.proposals.poll()) {
                a.answerReclaim(next.round(), new long[0]);
            }
        }
        assertThat(node.status().quarantined()).isEqualTo(1);
        assertThat(node.status().recordsInUse()).isEqualTo(1);
        assertThat(node.status().highWaterMark())
                .as("names to come must not start above it")
                .isLessThan(mark + 100);
        Resolution next = resolve(a, "next").resolution;
        assertThat(next.record()).isEqualTo(sound);
        assertThat(next.epoch()).isLessThan(mark + 100);
    }

    @Test
    void loweringTheLongestLeaseDoesNotShortenTheWaitForFormerOnes() throws Exception {
        MemoryNode node = start(MemoryNodeSettings.builder("mn")
                .records(16)
                .queueCapacity(4)
                .maxComputeNodes(4)
                .maxLease(Duration.ofMillis(100))
                .leaseMargin(MARGIN)
                .secondsSince2025(seconds::get)
                .build());
        time.advance(MemoryNodeSettings.LONGEST_LEASE.plus(MARGIN).minusMillis(1));
        assertThat(refusal(node, request("a", 0))).isEqualTo(Reason.NOT_YET);
        time.advance(Duration.ofMillis(1));
        join(node, "a", new RecordingListener());
        assertThatThrownBy(() -> settings().maxLease(Duration.ofSeconds(11)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("formerLease");
    }

    @Test
    void aLeaseThatNobodyCouldRenewIsNotGranted() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession session =
                node.join(new JoinRequest(TestProcess.id(), 1, "a", "", 0, 1), new RecordingListener());
        assertThat(session.joined().leaseNanos()).isEqualTo(50_000_000);
    }

    @Test
    void incarnationsOfANodeIdStrictlyIncreaseAndAnIdRestsForALease() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession one = join(node, "a", new RecordingListener());
        List<MemoryNodeSession> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(join(node, "o" + i, new RecordingListener()));
        }
        assertThat(refusal(node, request("more", 0))).isEqualTo(Reason.TOO_MANY_COMPUTE_NODES);
        one.leave(() -> {});
        // It left, but a grant for its node id may still be on its way.
        assertThat(refusal(node, request("more", 0))).isEqualTo(Reason.NOT_YET);
        live(LEASE, others.toArray(new MemoryNodeSession[0]));
        MemoryNodeSession again = join(node, "again", new RecordingListener());
        assertThat(again.member().nodeId()).isEqualTo(one.member().nodeId());
        assertThat(again.member().incarnation()).isGreaterThan(one.member().incarnation());
    }

    @Test
    void anIdRestsFromTheEndOfTheMembershipOnAlsoIfItsOwnerWasCutLongBefore() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession one = join(node, "a", new RecordingListener());
        MemoryNodeSession[] others = new MemoryNodeSession[3];
        for (int i = 0; i < 3; i++) {
            others[i] = join(node, "o" + i, new RecordingListener());
        }
        one.disconnected();
        live(LEASE.plus(MARGIN).plusMillis(500), others);
        assertThat(others[0].members().members()).hasSize(3);
        // Until a moment ago, members could find it in the membership and begin to take over its resets.
        assertThat(refusal(node, request("more", 0))).isEqualTo(Reason.NOT_YET);
        live(LEASE, others);
        assertThat(join(node, "again", new RecordingListener()).member().nodeId())
                .isEqualTo(one.member().nodeId());
    }

    @Test
    void aSilentNodeIsDeadOnlyAfterLeaseAndMargin() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession silent = join(node, "silent", listener);
        MemoryNodeSession other = join(node, "other", new RecordingListener());
        live(LEASE.plus(MARGIN), other);
        assertThat(silent.enter()).isTrue();
        silent.exit();
        assertThat(other.members().members()).hasSize(2);
        live(Duration.ofMillis(500), other);
        assertThat(silent.enter()).isFalse();
        assertThat(other.members().members()).extracting(Member::name).containsExactly("other");
        assertThat(listener.losses).hasSize(1);
        assertThatThrownBy(silent::heartbeat).isInstanceOf(FabricException.class);
    }

    @Test
    void aSilentNodeIsNotDeadWhileTheServerIsTooLateToHearIt() throws Exception {
        MemoryNode node = start(settings().build());
        AtomicLong lag = new AtomicLong();
        node.watchServer(lag::get);
        RecordingListener listener = new RecordingListener();
        join(node, "silent", listener);
        live(LEASE.minusMillis(500));
        lag.set(LEASE.toNanos());
        live(LEASE.plus(MARGIN).multipliedBy(3));
        assertThat(listener.losses).isEmpty();
        assertThat(node.status().eventLoopLag()).isEqualTo(LEASE);
        assertThat(node.status().stalled()).contains("event loop");
        // From the moment at which the server is in time again, a full lease has to pass.
        lag.set(0);
        live(LEASE.plus(MARGIN).minusMillis(500));
        assertThat(listener.losses).isEmpty();
        live(Duration.ofSeconds(1));
        assertThat(listener.losses).hasSize(1);
        assertThat(node.status().stalled()).isEmpty();
    }

    @Test
    void aServerThatIsLateByLessThanTheMarginSavesNobody() throws Exception {
        MemoryNode node = start(settings().build());
        node.watchServer(MARGIN::toNanos);
        RecordingListener listener = new RecordingListener();
        join(node, "silent", listener);
        live(LEASE.plus(MARGIN).plusMillis(500));
        assertThat(listener.losses).hasSize(1);
    }

    @Test
    void theMembershipDropsANodeOnlyWhenNothingOfItCanLand() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession silent = join(node, "silent", new RecordingListener());
        MemoryNodeSession other = join(node, "other", new RecordingListener());
        assertThat(silent.enter()).isTrue();
        live(LEASE.plus(MARGIN).plusSeconds(5), other);
        assertThat(other.members().members())
                .as("a verb of it is still being executed")
                .hasSize(2);
        silent.exit();
        assertThat(other.members().members()).hasSize(1);
    }

    @Test
    void anAttachedDataPlaneIsCutBeforeTheMembershipChanges() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession silent = join(node, "silent", new RecordingListener());
        List<Runnable> cuts = new ArrayList<>();
        silent.attach(cuts::add);
        MemoryNodeSession other = join(node, "other", new RecordingListener());
        live(LEASE.plus(MARGIN).plusSeconds(1), other);
        assertThat(cuts).hasSize(1);
        assertThat(other.members().members()).hasSize(2);
        cuts.get(0).run();
        assertThat(other.members().members()).hasSize(1);
    }

    private static JoinRequest attempt(String name, long number) {
        return new JoinRequest(name.hashCode(), number, name, "", 0, LEASE.toNanos());
    }

    @Test
    void aProcessThatJoinsAgainEndsItsEarlierSessionAtOnce() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener ofOther = new RecordingListener();
        MemoryNodeSession other = join(node, "other", ofOther);
        RecordingListener told = new RecordingListener();
        MemoryNodeSession first = node.join(attempt("a", 1), told);
        long record = resolve(first, "x").resolution.record();
        first.disconnected();
        assertThat(other.members().members()).hasSize(2);
        ofOther.memberships.clear();

        MemoryNodeSession second = node.join(attempt("a", 2), new RecordingListener());
        assertThat(first.isCut()).isTrue();
        assertThat(told.losses).hasSize(1);
        assertThat(told.losses.get(0)).hasMessageContaining("joined again");
        assertThat(second.member().nodeId())
                .as("there is no moment at which the id has no owner")
                .isEqualTo(first.member().nodeId());
        assertThat(second.member().incarnation()).isGreaterThan(first.member().incarnation());
        assertThat(ofOther.memberships).as("one change of the membership").hasSize(1);
        assertThat(other.members().members()).containsExactly(other.member(), second.member());
        assertThat(users(other, record)).isEmpty();
        // Late events of the first session change nothing.
        first.disconnected();
        first.leave(() -> {});
        live(LEASE.plus(MARGIN).plusSeconds(1), other, second);
        assertThat(other.members().members()).containsExactly(other.member(), second.member());
    }

    @Test
    void theNameOfAComputeNodeForgesNoLineOfALog() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener told = new RecordingListener();
        node.join(attempt("line\nbreak", 1), told);
        node.join(attempt("line\nbreak", 2), new RecordingListener());
        assertThat(told.losses.get(0))
                .hasMessageContaining("'line\\u000abreak'")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aSessionWhoseVerbsMayStillLandIsNotReplacedBeforeThey() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession first = node.join(attempt("a", 1), new RecordingListener());
        List<Runnable> cuts = new ArrayList<>();
        first.attach(cuts::add);
        assertThat(refusal(node, attempt("a", 2))).isEqualTo(Reason.NOT_YET);
        assertThat(first.isCut()).isTrue();
        assertThat(cuts).hasSize(1);
        cuts.get(0).run();
        MemoryNodeSession second = node.join(attempt("a", 3), new RecordingListener());
        assertThat(second.members().members()).containsExactly(second.member());
    }

    @Test
    void aJoinThatWasOvertakenEndsNobodysSession() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession present = node.join(attempt("a", 2), new RecordingListener());
        assertThat(refusal(node, attempt("a", 1))).isEqualTo(Reason.NOT_YET);
        assertThat(refusal(node, attempt("a", 2))).isEqualTo(Reason.NOT_YET);
        assertThat(present.isCut()).isFalse();
        assertThat(present.members().members()).containsExactly(present.member());
    }

    @Test
    void aProcessThatJoinsAgainAndAgainTakesOneNodeId() throws Exception {
        MemoryNode node = start(
                settings().records(100).queueCapacity(2).maxComputeNodes(2).build());
        MemoryNodeSession other = join(node, "other", new RecordingListener());
        for (int i = 1; i <= 100; i++) {
            node.join(attempt("a", i), new RecordingListener()).disconnected();
        }
        assertThat(other.members().members()).hasSize(2);
    }

    @Test
    void afterAPauseOfItsOwnItGrantsAFullLeaseBeforeItJudges() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession a = join(node, "a", new RecordingListener());
        MemoryNodeSession b = join(node, "b", new RecordingListener());
        live(Duration.ofSeconds(2), a, b);
        time.jump(Duration.ofSeconds(60));
        assertThat(a.isCut()).isFalse();
        time.advance(LEASE);
        a.heartbeat();
        assertThat(b.isCut()).isFalse();
        time.advance(MARGIN.plusMillis(200));
        assertThat(a.isCut()).isFalse();
        assertThat(b.isCut()).isTrue();
    }

    @Test
    void theLeaseIsTheOneAskedForUpToTheLongest() throws Exception {
        MemoryNode node = start(settings().build());
        JoinRequest longer = new JoinRequest(
                TestProcess.id(), 1, "a", "", 0, Duration.ofDays(1).toNanos());
        assertThat(node.join(longer, new RecordingListener()).joined().leaseNanos())
                .isEqualTo(LEASE.toNanos());
        JoinRequest shorter = new JoinRequest(
                TestProcess.id(), 1, "a", "", 0, Duration.ofSeconds(1).toNanos());
        assertThat(node.join(shorter, new RecordingListener()).joined().leaseNanos())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    @Test
    void aRoundThatNobodyAnswersEndsAndFreesNothing() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        long record = resolve(a, "x").resolution.record();
        live(Duration.ofSeconds(21), a);
        assertThat(listener.proposals).hasSize(1);
        Answer waiting = resolve(a, "x");
        assertThat(waiting.calls).isZero();
        live(LEASE.plusMillis(500), a);
        assertThat(waiting.calls).isEqualTo(1);
        assertThat(waiting.resolution)
                .isNotNull()
                .extracting(Resolution::record)
                .isEqualTo(record);
    }

    @Test
    void aRecordThatWasAskedForSinceTheScanIsNotProposed() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        resolve(a, "old");
        resolve(a, "asked");
        live(Duration.ofSeconds(15), a);
        resolve(a, "asked");
        live(Duration.ofSeconds(6), a);
        assertThat(listener.proposals).hasSize(1);
        assertThat(listener.proposals.peek().records()).hasSize(1);
    }

    @Test
    void aRecordWhoseHolderDiedIsReclaimedOnceEverybodyElseAgrees() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        MemoryNodeSession b = join(node, "b", new RecordingListener());
        take(node, resolve(b, "orphan").resolution.record());
        live(Duration.ofSeconds(60), a, b);
        assertThat(listener.proposals).as("in use as far as anybody knows").isEmpty();
        live(Duration.ofSeconds(60), a);
        assertThat(listener.proposals)
                .as("proposed again after nobody had answered")
                .hasSizeGreaterThan(1);
        listener.proposals.clear();
        while (listener.proposals.isEmpty()) {
            live(Duration.ofSeconds(1), a);
        }
        a.answerReclaim(listener.proposals.remove().round(), new long[0]);
        assertThat(node.status().recordsInUse()).isZero();
    }

    @Test
    void aScanForOrphansLeavesWhatSomebodyUses() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        MemoryNodeSession b = join(node, "b", new RecordingListener());
        long held = resolve(a, "held").resolution.record();
        take(node, held);
        live(Duration.ofSeconds(1), a, b);
        while (listener.proposals.isEmpty()) {
            live(Duration.ofSeconds(1), a);
        }
        a.answerReclaim(listener.proposals.remove().round(), new long[] {held});
        live(Duration.ofSeconds(60), a);
        assertThat(node.status().recordsInUse()).isEqualTo(1);
        assertThat(listener.proposals).as("one scan for one that died").isEmpty();
    }

    @Test
    void whatACutComputeNodeMayStillHoldIsNoOrphan() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        MemoryNodeSession b = join(node, "b", new RecordingListener());
        MemoryNodeSession c = join(node, "c", new RecordingListener());
        take(node, resolve(c, "held").resolution.record());
        live(Duration.ofSeconds(1), a, b, c);
        while (listener.proposals.isEmpty()) {
            live(Duration.ofSeconds(1), a, c);
        }
        c.disconnected();
        a.answerReclaim(listener.proposals.remove().round(), new long[0]);
        assertThat(node.status().recordsInUse()).isEqualTo(1);
    }

    private static void take(MemoryNode node, long record) {
        long header = node.layout().header(record);
        node.region().write(header, node.region().read(header) + LockHeader.acquire(true));
    }

    private static List<String> users(MemoryNodeSession asking, long record) {
        return asking.members(record).users().members().stream()
                .map(Member::name)
                .toList();
    }

    @Test
    void aRecordThatGetsAnotherNameHasTheUsersOfThatNameOnly() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener first = new RecordingListener();
        RecordingListener second = new RecordingListener();
        MemoryNodeSession a = join(node, "a", first);
        MemoryNodeSession b = join(node, "b", second);
        long record = resolve(a, "x").resolution.record();
        assertThat(users(b, record)).containsExactly("a");
        live(Duration.ofSeconds(21), a, b);
        a.answerReclaim(first.proposals.remove().round(), new long[0]);
        b.answerReclaim(second.proposals.remove().round(), new long[0]);
        assertThat(node.status().recordsInUse()).isZero();

        assertThat(resolve(b, "y").resolution.record()).isEqualTo(record);
        assertThat(users(b, record)).containsExactly("b");
    }

    @Test
    void aLaterSessionWithTheSameNodeIdKnowsNothingYet() throws Exception {
        MemoryNode node = start(
                settings().records(100).queueCapacity(2).maxComputeNodes(2).build());
        MemoryNodeSession a = join(node, "a", new RecordingListener());
        MemoryNodeSession other = join(node, "other", new RecordingListener());
        long record = resolve(a, "x").resolution.record();
        a.leave(() -> {});
        live(LEASE.plus(MARGIN), other);
        MemoryNodeSession b = join(node, "b", new RecordingListener());
        assertThat(b.member().nodeId()).isEqualTo(a.member().nodeId());
        assertThat(users(b, record)).isEmpty();
    }

    @Test
    void tellsWhetherAPositionMayHaveBeenLeftBehind() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession dead = join(node, "dead", new RecordingListener());
        MemoryNodeSession leaving = join(node, "leaving", new RecordingListener());
        MemoryNodeSession other = join(node, "other", new RecordingListener());
        long taken = resolve(dead, "taken").resolution.record();
        long empty = resolve(dead, "empty").resolution.record();
        long left = resolve(leaving, "left").resolution.record();
        take(node, taken);
        take(node, left);
        assertThat(resolve(other, "taken").resolution.mayBeLeftBehind())
                .as("its owner is alive")
                .isFalse();
        leaving.leave(() -> {});
        dead.disconnected();
        live(LEASE.plus(MARGIN).plusSeconds(1), other);
        assertThat(resolve(other, "taken").resolution.mayBeLeftBehind()).isTrue();
        assertThat(resolve(other, "empty").resolution.mayBeLeftBehind()).isFalse();
        assertThat(resolve(other, "left").resolution.mayBeLeftBehind())
                .as("who leaves has no position")
                .isFalse();
        take(node, empty);
        assertThat(resolve(other, "empty").resolution.mayBeLeftBehind())
                .as("its queue was empty after the death")
                .isFalse();
    }

    @Test
    void everyRecordOfTheRegionHasUsersAndNothingElseDoes() throws Exception {
        MemoryNode node = start(
                settings().records(10_000).queueCapacity(2).maxComputeNodes(2).build());
        MemoryNodeSession a = join(node, "a", new RecordingListener());
        long[] records = create(a, "n", 9_000);
        for (long record : records) {
            assertThat(a.isRecord(record)).isTrue();
            assertThat(users(a, record)).containsExactly("a");
        }
        assertThat(a.isRecord(node.region().recordAddress(9_999))).isTrue();
        assertThat(a.isRecord(node.region().recordAddress(10_000))).isFalse();
        assertThat(a.isRecord(-1)).isFalse();
        assertThat(a.isRecord(records[0] + 8)).isFalse();
        assertThatThrownBy(() -> a.members(records[0] + 8)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameThatComesBackStartsAboveItsFormerEpochEvenAfterResets() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        Resolution first = resolve(a, "x").resolution;
        node.region().write(node.layout().epoch(first.record()), first.epoch() + 40);
        live(Duration.ofSeconds(21), a);
        a.answerReclaim(listener.proposals.remove().round(), new long[0]);
        assertThat(node.status().recordsInUse()).isZero();
        assertThat(node.status().reclaimed()).isEqualTo(1);
        assertThat(resolve(a, "x").resolution.epoch()).isGreaterThan(first.epoch() + 40);
    }

    @Test
    void reclaimingRaisesTheMarkOncePerScanHoweverManyRecordsItFrees() throws Exception {
        MemoryNode node = start(settings().records(30_000).queueCapacity(4).build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        for (int i = 0; i < 20_000; i++) {
            resolve(a, "n" + i);
        }
        long before = node.status().highWaterMark();
        long ticks = 0;
        while (node.status().recordsInUse() > 0) {
            live(Duration.ofSeconds(10), a);
            assertThat(++ticks).isLessThan(20);
            for (var next = listener.proposals.poll(); next != null; next = listener.proposals.poll()) {
                a.answerReclaim(next.round(), new long[0]);
            }
        }
        assertThat(node.status().highWaterMark() - before).isLessThanOrEqualTo(ticks);
    }

    private static Reason refusal(MemoryNodeSession session, String name) {
        FabricException.Refused refusal = resolve(session, name).refusal;
        assertThat(refusal).as(name).isNotNull();
        return refusal.reason();
    }

    private static long[] create(MemoryNodeSession session, String prefix, int count) {
        long[] records = new long[count];
        for (int i = 0; i < count; i++) {
            Resolution found = resolve(session, prefix + i).resolution;
            assertThat(found).as(prefix + i).isNotNull();
            records[i] = found.record();
        }
        return records;
    }

    @Test
    void aSessionThatAsksForEverNewNamesLeavesRoomForOthers() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession a = join(node, "a", new RecordingListener());
        MemoryNodeSession b = join(node, "b", new RecordingListener());
        create(a, "a", 29);
        assertThat(refusal(a, "more")).as("nine tenths of 32").isEqualTo(Reason.TOO_MANY_NAMES);
        create(a, "a", 29);
        create(b, "b", 3);
        create(a, "b", 3);
        assertThat(node.status().refusedNames()).isEqualTo(1);
        assertThat(node.status().mostRecordsOfOneSession()).isEqualTo(29);
        assertThat(refusal(a, "more")).isEqualTo(Reason.TABLE_FULL);
        assertThat(refusal(b, "more")).isEqualTo(Reason.TABLE_FULL);
    }

    @Test
    void whatWasTakenBackMayBeCreatedAgain() throws Exception {
        MemoryNode node = start(settings().recordsPerSession(3).build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        for (int life = 0; life < 4; life++) {
            create(a, "life-" + life + "-", 3);
            FabricException.Refused refusal = resolve(a, "more").refusal;
            assertThat(refusal).hasMessageContainingAll("32", "memory node mn", "created 3", "after some 10 s");
            while (node.status().recordsInUse() > 0) {
                live(Duration.ofSeconds(1), a);
                for (var next = listener.proposals.poll(); next != null; next = listener.proposals.poll()) {
                    a.answerReclaim(next.round(), new long[0]);
                }
            }
            assertThat(node.status().mostRecordsOfOneSession()).isZero();
        }
    }

    @Test
    void fiveThousandNewNamesASecondForFiveMinutesAreNotRefused() throws Exception {
        MemoryNode node = start(settings()
                .records(100_000)
                .queueCapacity(4)
                .reclaimInterval(Duration.ofMinutes(1))
                .build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        Resolution kept = resolve(a, "kept").resolution;
        take(node, kept.record());
        long mark = node.status().highWaterMark();
        int names = 0;
        for (int millis = 0; millis < 300_000; millis += 20) {
            for (int i = 0; i < 100; i++) {
                assertThat(resolve(a, "n" + names++).refusal)
                        .as("after %d ms", millis)
                        .isNull();
            }
            time.advance(Duration.ofMillis(20));
            if (millis % 500 == 0) {
                a.heartbeat();
            }
            for (var next = listener.proposals.poll(); next != null; next = listener.proposals.poll()) {
                a.answerReclaim(next.round(), new long[0]);
            }
        }
        assertThat(names).isEqualTo(1_500_000);
        // A memory node that starts again begins at the seconds: the mark must not have run ahead of them.
        assertThat(node.status().highWaterMark() - mark).isLessThanOrEqualTo(301);
        assertThat(resolve(a, "kept").resolution).isEqualTo(kept);
    }

    @Test
    void noNumberOfLookUpsDuringARoundTakesEverMoreMemory() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", listener);
        resolve(a, "x");
        live(Duration.ofSeconds(21), a);
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            answers.add(resolve(a, "x"));
        }
        List<Answer> refused =
                answers.stream().filter(answer -> answer.refusal != null).toList();
        assertThat(refused).hasSize(20_000 - (1 << 14));
        assertThat(refused.get(0).refusal.reason()).isEqualTo(Reason.NOT_YET);
        a.answerReclaim(listener.proposals.remove().round(), new long[0]);
        assertThat(answers).allMatch(answer -> answer.calls == 1);
        assertThat(resolve(a, "x").resolution).isNotNull();
    }

    @Test
    void aNameForWhichThereIsNoRecordIsNotCharged() throws Exception {
        MemoryNode node = start(settings().recordsPerSession(20).build());
        RecordingListener listener = new RecordingListener();
        MemoryNodeSession a = join(node, "a", new RecordingListener());
        MemoryNodeSession b = join(node, "b", listener);
        create(a, "a", 20);
        create(b, "b", 12);
        for (int i = 0; i < 100; i++) {
            assertThat(refusal(b, "more" + i)).isEqualTo(Reason.TABLE_FULL);
        }
        a.leave(() -> {});
        for (int seconds = 0; seconds < 21; seconds++) {
            live(Duration.ofSeconds(1), b);
            for (var next = listener.proposals.poll(); next != null; next = listener.proposals.poll()) {
                b.answerReclaim(next.round(), new long[0]);
            }
        }
        assertThat(node.status().recordsInUse()).isZero();
        create(b, "again", 20);
        assertThat(refusal(b, "more")).isEqualTo(Reason.TOO_MANY_NAMES);
    }

    @Test
    void theChargeEndsWithTheSessionAndIsNotGivenBackToTheNext() throws Exception {
        MemoryNode node = start(settings().recordsPerSession(3).build());
        RecordingListener listener = new RecordingListener();
        create(join(node, "a", new RecordingListener()), "old", 3);
        MemoryNodeSession b = join(node, "b", listener);
        live(LEASE.plus(MARGIN).plusSeconds(1), b);
        assertThat(b.members().members()).hasSize(1);
        MemoryNodeSession again = join(node, "a", listener);
        long[] inUse = create(again, "new", 3);
        assertThat(refusal(again, "more")).isEqualTo(Reason.TOO_MANY_NAMES);
        while (node.status().recordsInUse() > 3) {
            live(Duration.ofSeconds(1), again, b);
            for (var next = listener.proposals.poll(); next != null; next = listener.proposals.poll()) {
                again.answerReclaim(next.round(), inUse);
                b.answerReclaim(next.round(), new long[0]);
            }
        }
        assertThat(node.status().mostRecordsOfOneSession()).isEqualTo(3);
        assertThat(refusal(again, "more")).isEqualTo(Reason.TOO_MANY_NAMES);
    }

    @Test
    void closingTellsEverySession() throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener listener = new RecordingListener();
        join(node, "a", listener);
        node.close();
        assertThat(listener.losses).hasSize(1);
        assertThat(refusal(node, request("b", 0))).isEqualTo(Reason.NOT_YET);
    }

    /** Rule G1. */
    @Test
    void theNextConnectionGetsADataPlaneWhenTheLastOneIsQuiet() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession session = join(node, "a", new RecordingListener());
        DataPlaneGate last = session.gate();
        assertThat(last.enter()).isTrue();
        List<String> steps = new ArrayList<>();
        session.detach(() -> steps.add("detached"));
        session.detach(() -> steps.add("detached twice"));
        assertThat(steps).as("a verb is under way").isEmpty();
        assertThat(last.enter()).isFalse();
        assertThatThrownBy(session::reattach).isInstanceOf(IllegalStateException.class);
        last.exit();
        assertThat(steps).containsExactly("detached", "detached twice");

        assertThat(node.status().sessions()).hasSize(1).noneMatch(MemoryNodeStatus.Session::connected);
        DataPlaneGate next = session.reattach();
        assertThat(next).isNotNull();
        assertThat(next.enter()).isTrue();
        next.exit();
        assertThat(last.enter()).as("the last connection").isFalse();
        assertThat(node.status().sessions()).hasSize(1).allMatch(MemoryNodeStatus.Session::connected);
        assertThat(node.status().resumed()).isEqualTo(1);
    }

    /** Rule G1. */
    @Test
    void aDetachedSessionLivesAsLongAsItsLease() throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession session = join(node, "a", new RecordingListener());
        RecordingListener told = new RecordingListener();
        MemoryNodeSession other = join(node, "b", told);
        session.detach(() -> {});
        live(LEASE, other);
        assertThat(node.status().sessions()).hasSize(2);
        live(MARGIN.plusSeconds(1), other);
        assertThat(node.status().sessions()).hasSize(1);
        assertThat(session.reattach()).isNull();
    }

    /** Rule G1: a cut goes on where a detachment has begun or ended. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDetachedSessionCanBeCut(boolean quiet) throws Exception {
        MemoryNode node = start(settings().build());
        MemoryNodeSession session = join(node, "a", new RecordingListener());
        DataPlaneGate gate = session.gate();
        assertThat(gate.enter()).isTrue();
        session.detach(() -> {});
        if (quiet) {
            gate.exit();
        }
        List<String> steps = new ArrayList<>();
        session.leave(() -> steps.add("left"));
        if (!quiet) {
            assertThat(steps).isEmpty();
            gate.exit();
        }
        assertThat(steps).containsExactly("left");
        session.detach(() -> steps.add("detached"));
        assertThat(steps).containsExactly("left", "detached");
        assertThat(session.reattach()).isNull();
        assertThat(node.status().sessions()).isEmpty();
    }

    /** Rule G3: nobody waits for the answer of a session without a connection, and it loses no record that it knows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDetachedSessionKeepsTheRecordsThatItKnows(boolean whileAsked) throws Exception {
        MemoryNode node = start(settings().build());
        RecordingListener asked = new RecordingListener();
        MemoryNodeSession asking = join(node, "a", asked);
        MemoryNodeSession session = join(node, "b", new RecordingListener());
        resolve(session, "known");
        resolve(asking, "other");
        if (!whileAsked) {
            session.detach(() -> {});
        }
        for (int i = 0; i < 60 && asked.proposals.isEmpty(); i++) {
            live(Duration.ofMillis(500), asking, session);
        }
        RecordingListener.Proposal proposal = asked.proposals.remove();
        asking.answerReclaim(proposal.round(), new long[0]);
        if (whileAsked) {
            assertThat(node.status().recordsInUse()).isEqualTo(2);
            session.detach(() -> {});
        }
        assertThat(node.status().recordsInUse()).isEqualTo(1);
        assertThat(session.reattach()).isNotNull();
        assertThat(resolve(session, "known").calls).isEqualTo(1);
    }

    @Test
    void aLeaseThatNoFailOverFitsIntoIsNamedInTheLog() throws Exception {
        Logger log = (Logger) LoggerFactory.getLogger(JoinConditions.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        log.addAppender(logged);
        try {
            join(start(settings().failOver(LEASE).build()), "fits", new RecordingListener());
            assertThat(logged.list).isEmpty();
            join(start(settings().failOver(LEASE.plusNanos(1)).build()), "short", new RecordingListener());
            assertThat(logged.list).hasSize(1);
            assertThat(logged.list.get(0).getFormattedMessage())
                    .contains("'short'", "has a lease of " + LEASE.toMillis() + " ms", "declock.lease");
        } finally {
            log.detachAppender(logged);
        }
    }
}
