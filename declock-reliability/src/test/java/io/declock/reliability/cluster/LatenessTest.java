// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** By how much naps were late, by a clock that is set. */
@Timeout(10)
class LatenessTest {
    private long now = Duration.ofHours(1).toNanos();
    private long late;
    private final Lateness lateness = new Lateness(() -> now, this::park);

    private void park(long nanos) {
        now += nanos + late;
        late = 0;
    }

    private void napLateBy(Duration time) {
        late = time.toNanos();
        lateness.nap();
    }

    @Test
    void napsThatEndLateAreAddedUp() {
        long began = now;
        napLateBy(Duration.ofMillis(40));
        napLateBy(Duration.ZERO);
        napLateBy(Duration.ofSeconds(3));
        assertThat(lateness.nanosSince(began)).isEqualTo(Duration.ofMillis(3040).toNanos());
    }

    @Test
    void whatWasLateBeforeDoesNotCount() {
        napLateBy(Duration.ofSeconds(3));
        long calmSince = now;
        assertThat(lateness.nanosSince(calmSince)).isZero();
        napLateBy(Duration.ofMillis(20));
        assertThat(lateness.nanosSince(calmSince))
                .isEqualTo(Duration.ofMillis(20).toNanos());
    }

    @Test
    void theUsualMillisecondIsNotLate() {
        long began = now;
        napLateBy(Duration.ofMillis(1));
        assertThat(lateness.nanosSince(began)).isZero();
        napLateBy(Duration.ofMillis(1).plusNanos(1));
        assertThat(lateness.nanosSince(began)).isEqualTo(1_000_001);
    }

    @Test
    void aThreadThatIsWokenTooEarlyNapsOn() {
        long began = now;
        napLateBy(Duration.ofMillis(-3));
        assertThat(lateness.nanosSince(began)).isZero();
        assertThat(now - began).as("a nap").isBetween(5_000_000L, 6_000_000L);
    }
}
