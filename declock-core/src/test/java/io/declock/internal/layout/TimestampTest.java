// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimestampTest {
    private static final long MINUTE = 60_000_000_000L;

    @Test
    void ordersWaitsOfAMinuteAlsoAcrossTheEndOfTheRange() {
        for (long start = 0; start < 10 * MINUTE; start += MINUTE / 7) {
            int early = Timestamp.of(start);
            int late = Timestamp.of(start + MINUTE);
            assertThat(Timestamp.isBefore(early, late)).isTrue();
            assertThat(Timestamp.isBefore(late, early)).isFalse();
        }
    }

    @Test
    void nothingIsBeforeItself() {
        assertThat(Timestamp.isBefore(5, 5)).isFalse();
    }

    @Test
    void negativeClocksStayInTheirBits() {
        assertThat(Timestamp.of(-1_000_000_000L)).isBetween(0, (1 << QueueEntry.TIMESTAMP_BITS) - 1);
        assertThat(Timestamp.isBefore(Timestamp.of(-1_000_000_000L), Timestamp.of(1_000_000_000L)))
                .isTrue();
    }
}
