// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.election.CandidateState.End;
import io.declock.internal.election.Standing.Role;
import io.declock.spi.ManualTime;
import io.declock.spi.election.ElectionEngine.Held;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a candidate may do, step by step and without an engine (rules H6 and H9). */
class CandidateStateTest {
    private static final Duration LEASE = Duration.ofSeconds(8);

    private final ManualTime time = new ManualTime();
    private final CandidateState state =
            new CandidateState(new CandidateBasics("mn", "a", LEASE.toNanos(), new AskedEngine(), time, time));

    @BeforeEach
    void start() {
        state.start(true);
    }

    private long attempt() {
        return state.beginAttempt(state.nextPlan(), time.nanoTime());
    }

    private Mandate mandate(long term) {
        return new Mandate(time, term, time.nanoTime() + LEASE.toNanos(), () -> {});
    }

    private Mandate serve(long term) {
        Mandate mandate = mandate(term);
        assertThat(state.elected(mandate, true)).isTrue();
        return mandate;
    }

    @Test
    void oneAttemptIsUnderWayAtATime() {
        assertThat(attempt()).isNotPositive();
        assertThat(attempt()).isEqualTo(CandidateState.NO_ATTEMPT);
        state.attempted();
        assertThat(attempt()).isNotPositive();
    }

    @Test
    void aLaterPlanReplacesAnEarlierOne() {
        long earlier = state.nextPlan();
        long later = state.nextPlan();
        assertThat(state.beginAttempt(earlier, time.nanoTime())).isEqualTo(CandidateState.NO_ATTEMPT);
        assertThat(state.beginAttempt(later, time.nanoTime())).isNotPositive();
    }

    @Test
    void noAttemptIsMadeWhileItServesOrAfterTheEnd() {
        Mandate mandate = serve(1);
        assertThat(attempt()).isEqualTo(CandidateState.NO_ATTEMPT);
        assertThat(state.over(mandate, "over")).isEqualTo(End.DEPOSED);
        assertThat(attempt()).isNotPositive();
        state.attempted();
        state.close();
        assertThat(attempt()).isEqualTo(CandidateState.NO_ATTEMPT);
    }

    @Test
    void amongOthersItBeginsAsIfItHadPromised() {
        state.start(false);
        assertThat(attempt()).isEqualTo(LEASE.toNanos());
        assertThat(state.elected(mandate(1), true)).isFalse();
        time.advance(LEASE);
        assertThat(attempt()).isNotPositive();
    }

    @Test
    void itPromisesOnlyWhileItDoesNotReachTheEngine() {
        assertThat(state.promise(1, 1)).isFalse();
        state.unreached("down");
        assertThat(state.promise(1, 1)).isTrue();
        state.reached();
        assertThat(state.promise(1, 1)).isFalse();
        state.unreached("down");
        state.learn(new Held(2, "b"));
        assertThat(state.promise(2, 1)).isFalse();
        state.unreached("down");
        assertThat(state.promise(1, 1))
                .as("to an earlier term than the one it knows")
                .isFalse();
        assertThat(state.promise(2, 1)).isTrue();
        assertThat(state.promise(3, 1)).isTrue();
        assertThat(state.promise(2, 1))
                .as("to an earlier term than the one it has promised to")
                .isFalse();
    }

    @Test
    void aCandidateThatHasEndedPromisesNothingAndHasNoNews() {
        state.unreached("down");
        state.reached();
        state.close();
        assertThat(state.unreached("down")).isFalse();
        assertThat(state.promise(1, 1)).isFalse();
    }

    @Test
    void aCandidateThatServesPromisesNothing() {
        serve(1);
        state.notRenewed("down");
        assertThat(state.promise(1, 1)).isFalse();
    }

    @Test
    void aPromiseForbidsAttemptsAndElectionsForALeaseAtMost() {
        assertThat(attempt()).isNotPositive();
        state.unreached("down");
        assertThat(state.promise(1, Long.MAX_VALUE)).isTrue();
        assertThat(state.promise(1, 1)).isTrue();
        assertThat(state.elected(mandate(2), true))
                .as("by the attempt that was under way")
                .isFalse();
        assertThat(attempt()).isEqualTo(LEASE.toNanos());
        time.advance(LEASE);
        assertThat(attempt()).isNotPositive();
        serve(3);
    }

    @Test
    void whatItMayNotAcceptIsNoTermButIsRemembered() {
        assertThat(state.elected(mandate(4), false)).isFalse();
        state.unreached("down");
        assertThat(state.promise(3, 1)).isFalse();
        assertThat(state.standing().term()).isEqualTo(4);
        assertThat(state.standing().elections()).isZero();
        state.close();
        assertThat(state.elected(mandate(5), true)).isFalse();
    }

    @Test
    void onlyThePresentMandateEndsAndOnce() {
        Mandate mandate = serve(1);
        state.notRenewed("down");
        state.othersPromised();
        assertThat(state.isPresent(mandate)).isTrue();
        assertThat(state.over(mandate(1), "another one")).isEqualTo(End.NONE);
        assertThat(state.over(mandate, "over")).isEqualTo(End.DEPOSED);
        assertThat(state.over(mandate, "over")).isEqualTo(End.NONE);
        assertThat(state.isPresent(mandate)).isFalse();
        assertThat(state.standing().role()).isEqualTo(Role.DEPOSED);
        assertThat(state.standing().depositions()).isEqualTo(1);
        assertThat(state.standing().problem()).isEqualTo("over");
        assertThat(state.standing().promised()).isFalse();
        assertThat(state.standing().serving()).as("it does not know who serves").isEmpty();
        state.learn(new Held(2, "b"));
        assertThat(state.standing().role()).as("it knows who serves").isEqualTo(Role.STANDING_BY);
    }

    @Test
    void theTermThatIsToldIsThePresentOneOrTheHighestThatItHeardOf() {
        state.learn(new Held(7, "b"));
        state.learn(new Held(6, "c"));
        assertThat(state.standing().serving()).isEqualTo("c");
        assertThat(state.standing().term()).isEqualTo(7);
        Mandate mandate = serve(3);
        assertThat(state.standing().term()).isEqualTo(3);
        assertThat(state.standing().left()).isEqualTo(LEASE);
        time.advance(LEASE.multipliedBy(2));
        assertThat(state.standing().left()).as("long after its end").isZero();
        state.over(mandate, "over");
        assertThat(state.standing().term()).isEqualTo(7);
    }

    @Test
    void aCandidateThatEndsIsNotDeposed() {
        Mandate mandate = serve(1);
        assertThat(state.close()).isSameAs(mandate);
        assertThat(state.isPresent(mandate)).isFalse();
        assertThat(state.over(mandate, "it shuts down")).isEqualTo(End.LEFT);
        assertThat(state.standing().depositions()).isZero();
    }

    @Test
    void newsIsToldOnce() {
        assertThat(state.unreached("down")).isTrue();
        assertThat(state.unreached("still down")).isFalse();
        serve(1);
        assertThat(state.renewed()).isFalse();
        assertThat(state.notRenewed("down")).isTrue();
        assertThat(state.notRenewed("down")).isFalse();
        state.othersPromised();
        assertThat(state.standing().promised()).isTrue();
        assertThat(state.renewed()).isTrue();
        assertThat(state.standing().promised()).isFalse();
        state.othersPromised();
        assertThat(state.standing().promised())
                .as("by promises that came after the renewal")
                .isFalse();
    }

    @Test
    void anAnswerThatComesLateDoesNotHideWhatTheServingCandidateKnows() {
        serve(1);
        state.notRenewed("down");
        state.reached();
        state.learn(new Held(9, "b"));
        assertThat(state.standing().serving()).isEqualTo("a");
        assertThat(state.standing().problem()).contains("down");
        assertThat(state.standing().term()).isEqualTo(1);
    }
}
