// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One term, at an engine and among candidates whose answers the test gives (rules H6 and H9). */
class TermKeeperTest {
    private static final Duration LEASE = Duration.ofSeconds(8);
    private static final Duration COUNTED = Duration.ofSeconds(7);
    private static final Duration ATTEMPT = Duration.ofSeconds(2);
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final ManualTime time = new ManualTime();
    private final AskedEngine engine = new AskedEngine();
    private final CandidateBasics basics = new CandidateBasics("mn", "a", LEASE.toNanos(), engine, time, time);
    private final CandidateState state = new CandidateState(basics);
    private final List<Runnable> asked = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();
    private final Mandate mandate = new Mandate(time, 1, basics.counted(time.nanoTime()), () -> ends.add("ran out"));

    @BeforeEach
    void begin() {
        state.start(true);
        assertThat(state.elected(mandate, true)).isTrue();
        new TermKeeper(basics, state, mandate, (term, all) -> asked.add(all), ends::add).begin();
    }

    @Test
    void aRenewalCountsFromWhenItWasSent() {
        time.advance(ATTEMPT);
        assertThat(engine.renewals).hasSize(1);
        time.advance(ATTEMPT.minus(MOMENT));
        engine.renewals.get(0).answered(true);
        assertThat(mandate.leftNanos())
                .isEqualTo(COUNTED.minus(ATTEMPT).plus(MOMENT).toNanos());
        assertThat(asked).isEmpty();
    }

    @Test
    void withoutAnAnswerTheTermGoesOnByPromisesFromWhenTheyWereAskedFor() {
        time.advance(ATTEMPT);
        engine.renewals.get(0).failed("no answer");
        assertThat(asked).hasSize(1);
        assertThat(state.standing().promised()).isFalse();
        time.advance(MOMENT);
        asked.get(0).run();
        assertThat(state.standing().promised()).isTrue();
        assertThat(mandate.leftNanos()).isEqualTo(COUNTED.minus(MOMENT).toNanos());
        time.advance(ATTEMPT);
        engine.renewals.get(1).answered(true);
        assertThat(state.standing().promised()).isFalse();
        assertThat(state.standing().problem()).isEmpty();
    }

    @Test
    void theEndIsNoticedAlthoughNobodyAsks() {
        time.advance(COUNTED.minus(MOMENT));
        assertThat(ends).isEmpty();
        time.advance(MOMENT);
        assertThat(ends).containsExactly("ran out");
    }

    @Test
    void theEndIsWatchedAlsoAfterItHasMoved() {
        time.advance(ATTEMPT);
        engine.renewals.get(0).answered(true);
        time.advance(COUNTED.minus(MOMENT));
        assertThat(ends).isEmpty();
        time.advance(MOMENT);
        assertThat(ends).containsExactly("ran out");
    }

    @Test
    void aTermThatTheEngineHasEndedIsSaidToBeOver() {
        time.advance(ATTEMPT);
        engine.renewals.get(0).answered(false);
        assertThat(ends).containsExactly("the engine has ended the term");
    }

    @Test
    void aTermThatIsOverIsNotRenewed() {
        state.over(mandate, "over");
        time.advance(LEASE);
        assertThat(engine.renewals).isEmpty();
    }
}
