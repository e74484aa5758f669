// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeSettings;
import io.declock.MemoryNodeAddress;
import io.declock.MemoryNodeView.State;
import io.declock.internal.monitor.NodeCounters;
import io.declock.spi.FabricException;
import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a link may begin to join, and which session is its present one. */
class LinkStateTest {
    private static final MemoryNodeAddress ADDRESS = MemoryNodeAddress.parse("a|b");
    private static final FabricException BROKEN = new FabricException("broken");

    private final ManualTime time = new ManualTime();
    private final MemoryNodeIdentity identity = new MemoryNodeIdentity(ADDRESS);
    private final LinkReport report = new LinkReport(ADDRESS, identity, time);
    private final LinkState state = new LinkState(
            identity, report, new JoinPauses(() -> 0, QuietSession.LEASE.toNanos()), new CandidateRound(ADDRESS), time);

    private NodeSession session(int incarnation) {
        return new NodeSession(
                new QuietSession(incarnation, CompletableFuture::new),
                ComputeNodeSettings.DEFAULTS,
                new Surroundings(time, time, () -> 0, new NodeCounters(), 1, new KnownNodeSet(1), Inquiries.NONE),
                time.nanoTime(),
                epoch -> {},
                (broken, cause) -> {});
    }

    private NodeSession joined(int incarnation) {
        assertThat(state.beginAttempt()).isNotNull();
        NodeSession fresh = session(incarnation);
        assertThat(state.joined(fresh)).isTrue();
        return fresh;
    }

    @Test
    void oneAttemptIsUnderWayAtATimeAndNoneBesideASession() {
        assertThat(state.beginAttempt()).as("before the start").isNull();
        assertThat(state.start()).isTrue();
        assertThat(state.start()).as("the second start").isFalse();
        assertThat(state.beginAttempt()).isEqualTo(ADDRESS);
        assertThat(state.beginAttempt()).as("a second attempt").isNull();
        state.attemptOver();
        NodeSession session = joined(1);
        assertThat(state.session()).isSameAs(session);
        assertThat(identity.id()).isEqualTo("mn");
        assertThat(state.beginAttempt()).as("beside a session").isNull();
    }

    /** Rule C6. */
    @Test
    void noAttemptBeginsBeforeAllThatFollowsALossWasDone() {
        state.start();
        NodeSession session = joined(1);
        assertThat(state.lost(session, BROKEN, false)).isEqualTo(LinkState.End.JOINS_AGAIN);
        assertThat(state.session()).isNull();
        assertThat(state.beginAttempt()).isNull();
        assertThat(state.mayJoinAtOnce()).isTrue();
        assertThat(state.beginAttempt()).isNotNull();
    }

    @Test
    void aSessionIsLostOnce() {
        state.start();
        NodeSession first = joined(1);
        state.lost(first, BROKEN, false);
        assertThat(state.lost(first, BROKEN, false)).isEqualTo(LinkState.End.NOT_PRESENT);
        assertThat(state.brokenOff(first, BROKEN)).isFalse();
        state.mayJoinAtOnce();
        NodeSession second = joined(2);
        assertThat(state.lost(first, BROKEN, false)).as("beside its successor").isEqualTo(LinkState.End.NOT_PRESENT);
        assertThat(state.session()).isSameAs(second);
    }

    @Test
    void afterABreakAnotherCandidateIsAskedFirst() {
        state.start();
        NodeSession session = joined(1);
        assertThat(state.brokenOff(session, BROKEN)).isTrue();
        state.mayJoinAtOnce();
        assertThat(state.beginAttempt()).isEqualTo(MemoryNodeAddress.parse("b|a"));
    }

    @Test
    void aLinkThatWasStoppedTakesNoSession() {
        state.start();
        state.beginAttempt();
        assertThat(state.stop()).isNull();
        assertThat(report.view(null).state()).isEqualTo(State.LEFT);
        assertThat(state.joined(session(1))).isFalse();
        assertThat(state.session()).isNull();
        assertThat(identity.id()).as("of a session that was not used").isEmpty();
        assertThat(state.beginAttempt()).isNull();
    }

    @Test
    void aLinkThatWasStoppedLosesItsSessionForGood() {
        state.start();
        NodeSession session = joined(1);
        assertThat(state.stop()).isSameAs(session);
        assertThat(state.brokenOff(session, BROKEN)).as("a break is a loss").isFalse();
        assertThat(state.lost(session, BROKEN, false)).isEqualTo(LinkState.End.LEFT);
        assertThat(report.view(null).state()).isEqualTo(State.LEFT);
    }

    @Test
    void aFailureIsWorthALineInTheLogUnlessItWasSaidBefore() {
        state.start();
        assertThat(failedRound("one: wait 30 ms")).isEqualTo("one: wait 30 ms; one: wait 30 ms");
        assertThat(failedRound("one: wait 20 ms")).as("only a number differs").isNull();
        assertThat(failedRound("another")).isEqualTo("another; another");
        assertThat(report.problem(null)).isEqualTo("another; another");
    }

    private String failedRound(String message) {
        for (int candidate = 0; candidate < 2; candidate++) {
            assertThat(state.beginAttempt()).isNotNull();
            assertThat(state.attemptFailed(new FabricException(message)))
                    .as("another candidate is left")
                    .isEqualTo(candidate == 0);
        }
        return state.roundFailed();
    }

    @Test
    void aLinkIsDownSinceItsLoss() {
        state.start();
        NodeSession session = joined(1);
        assertThat(report.downNanos(session)).isZero();
        time.jump(Duration.ofMillis(100));
        state.lost(session, BROKEN, false);
        time.jump(Duration.ofMillis(7));
        assertThat(report.downNanos(null)).isEqualTo(7_000_000);
        assertThat(report.view(null).state()).isEqualTo(State.DOWN);
        assertThat(report.problem(null)).isEqualTo("broken");
    }
}
