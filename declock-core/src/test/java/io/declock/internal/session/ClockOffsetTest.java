// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.internal.layout.Timestamp;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How a compute node measures the memory node's clock (rule E7). */
class ClockOffsetTest {
    private static final long AHEAD = Duration.ofSeconds(5).toNanos();
    private static final long SENT = Duration.ofSeconds(100).toNanos();
    private static final long TRIP = Duration.ofMillis(2).toNanos();
    private static final long ANSWERED = SENT + TRIP;
    private static final long MIDPOINT = SENT + TRIP / 2;

    private final ClockOffset offset = new ClockOffset(SENT, ANSWERED, MIDPOINT + AHEAD);

    @Test
    void theMemoryNodeIsTakenToHaveReadItsClockAtTheMidpointOfRequestAndAnswer() {
        assertThat(offset.nanos()).isEqualTo(AHEAD);
        offset.measured(SENT, ANSWERED, MIDPOINT - AHEAD);
        assertThat(offset.nanos()).isEqualTo(-AHEAD);
    }

    @Test
    void timestampsAreThoseOfTheMemoryNodesClock() {
        assertThat(offset.timestamp(ANSWERED)).isEqualTo(Timestamp.of(ANSWERED + AHEAD));
    }

    @Test
    void theTimeUpToTheJoinIsNoRoundTrip() {
        assertThat(offset.roundTripNanos()).isEqualTo(-1);
        offset.measured(SENT, ANSWERED, MIDPOINT);
        assertThat(offset.roundTripNanos()).isEqualTo(TRIP);
    }

    @Test
    void aMeasurementIsFreshForTheTimeGivenAndNotWhenTheClockGoesBack() {
        assertThat(offset.isFresh(ANSWERED, 1)).isTrue();
        assertThat(offset.isFresh(ANSWERED + 9, 10)).isTrue();
        assertThat(offset.isFresh(ANSWERED + 10, 10)).isFalse();
        assertThat(offset.isFresh(ANSWERED - 1, 10)).isFalse();
    }
}
