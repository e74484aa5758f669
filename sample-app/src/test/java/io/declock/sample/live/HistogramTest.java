// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Percentiles that are right to one per cent. */
class HistogramTest {
    private static void record(Histogram histogram, long micros) {
        histogram.record(TimeUnit.MICROSECONDS.toNanos(micros));
    }

    @Test
    void emptyHasNoTimes() {
        Histogram histogram = new Histogram();

        assertThat(histogram.count()).isZero();
        assertThat(histogram.percentile(0.99)).isZero();
        assertThat(histogram.max()).isZero();
    }

    @Test
    void smallTimesAreExact() {
        Histogram histogram = new Histogram();
        for (int micros = 0; micros < 10; micros++) {
            record(histogram, micros);
        }

        assertThat(histogram.percentile(0.5)).isEqualTo(4);
        assertThat(histogram.percentile(1)).isEqualTo(9);
    }

    @Test
    void largeTimesAreRightToOnePercent() {
        for (long micros = 1; micros < 1L << 40; micros = micros * 3 / 2 + 1) {
            Histogram histogram = new Histogram();
            record(histogram, micros);

            assertThat((double) histogram.max()).isBetween((double) micros, micros * 1.01 + 1);
        }
    }

    @Test
    void percentilesOfManyTimes() {
        Histogram histogram = new Histogram();
        for (int micros = 1; micros <= 100_000; micros++) {
            record(histogram, micros);
        }

        assertThat((double) histogram.percentile(0.5)).isCloseTo(50_000, within(500.0));
        assertThat((double) histogram.percentile(0.99)).isCloseTo(99_000, within(1_000.0));
    }

    @Test
    void addsAndSubtractsWhatWasSent() {
        Histogram before = new Histogram();
        record(before, 7_000);
        Histogram after = new Histogram();
        after.add(before);
        record(after, 10);

        Histogram change = new Histogram();
        change.add(after.counts());
        change.subtract(before.counts());

        assertThat(change.count()).isEqualTo(1);
        assertThat(change.max()).isEqualTo(10);
    }
}
