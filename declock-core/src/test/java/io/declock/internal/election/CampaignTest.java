// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spi.ManualTime;
import io.declock.spi.election.ElectionEngine.Elected;
import io.declock.spi.election.ElectionEngine.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The attempts of a candidate that stands by, at an engine whose answers the test gives. */
class CampaignTest {
    private static final Duration LEASE = Duration.ofSeconds(8);
    private static final Duration ATTEMPT = Duration.ofSeconds(2);
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final ManualTime time = new ManualTime();
    private final AskedEngine engine = new AskedEngine();
    private final CandidateBasics basics = new CandidateBasics("mn", "a", LEASE.toNanos(), engine, time, time);
    private final CandidateState state = new CandidateState(basics);
    private final List<Long> elections = new ArrayList<>();
    private final Campaign campaign = new Campaign(basics, state, (elected, sentAt) -> elections.add(sentAt));

    @Test
    void eachAttemptPlansTheNextOneUntilOneSucceeds() {
        state.start(true);
        campaign.attemptSoon();
        time.advance(MOMENT);
        assertThat(engine.acquires).hasSize(1);
        engine.acquires.get(0).answered(new Held(1, "b"));
        assertThat(state.standing().serving()).isEqualTo("b");
        time.advance(ATTEMPT);
        assertThat(engine.acquires).hasSize(2);
        engine.acquires.get(1).failed("no answer");
        assertThat(state.standing().problem()).isEqualTo("no election: no answer");
        time.advance(ATTEMPT);
        long sentAt = time.nanoTime();
        assertThat(engine.acquires).hasSize(3);
        time.advance(MOMENT);
        engine.acquires.get(2).answered(new Elected(2, Map.of()));
        assertThat(elections).containsExactly(sentAt);
        time.advance(LEASE);
        assertThat(engine.acquires).hasSize(3);
    }

    @Test
    void anAttemptIsNotRepeatedBeforeItsAnswer() {
        state.start(true);
        campaign.attemptSoon();
        time.advance(MOMENT);
        campaign.attemptSoon();
        time.advance(LEASE);
        assertThat(engine.acquires).hasSize(1);
    }

    @Test
    void aLaterPlanReplacesAnEarlierOne() {
        state.start(true);
        campaign.attemptSoon();
        campaign.attemptAfter(ATTEMPT.toNanos());
        time.advance(ATTEMPT.minus(MOMENT));
        assertThat(engine.acquires).isEmpty();
        time.advance(MOMENT);
        assertThat(engine.acquires).hasSize(1);
    }

    @Test
    void whileAPromiseBindsItTheEngineIsOnlyLookedAt() {
        state.start(false);
        campaign.attemptSoon();
        time.advance(MOMENT);
        assertThat(engine.looks).hasSize(1);
        engine.looks.get(0).failed("no answer");
        assertThat(state.standing().problem()).isEqualTo("it is not known who serves: no answer");
        time.advance(ATTEMPT);
        engine.looks.get(1).answered(Optional.of(new Held(3, "b")));
        assertThat(state.standing().serving()).isEqualTo("b");
        time.advance(ATTEMPT);
        engine.looks.get(2).answered(Optional.empty());
        assertThat(engine.acquires).isEmpty();
        time.advance(ATTEMPT);
        engine.looks.get(3).answered(Optional.empty());
        time.advance(ATTEMPT.minus(MOMENT));
        assertThat(engine.acquires).hasSize(1);
    }
}
