// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.spi.ManualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Until when a candidate may count on its term (rule H6). */
class MandateTest {
    private static final Duration TERM = Duration.ofSeconds(7);
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final ManualTime time = new ManualTime();
    private final AtomicInteger ends = new AtomicInteger();
    private final Mandate mandate = new Mandate(time, 1, time.nanoTime() + TERM.toNanos(), ends::incrementAndGet);

    @Test
    void itsEndIsFoundOnce() {
        time.jump(TERM.minus(MOMENT));
        assertThat(mandate.lasts()).isTrue();
        time.jump(MOMENT);
        assertThat(mandate.lasts()).isFalse();
        assertThat(mandate.lasts()).isFalse();
        assertThat(ends).hasValue(1);
        assertThat(mandate.end()).as("it was over").isFalse();
    }

    @Test
    void whatIsOverLastsNoMoreAlsoIfItIsExtendedOrTheClockGoesBack() {
        time.jump(TERM);
        assertThat(mandate.lasts()).isFalse();
        mandate.extend(time.nanoTime() + TERM.toNanos());
        assertThat(mandate.lasts()).isFalse();
        assertThat(mandate.leftNanos()).isZero();
        time.jump(TERM.negated());
        assertThat(mandate.lasts()).isFalse();
        time.jump(TERM.multipliedBy(3).plusNanos(time.nanoTime()).negated());
        mandate.extend(time.nanoTime() + TERM.toNanos());
        assertThat(mandate.lasts()).as("by a clock below zero").isFalse();
    }

    @Test
    void anExtensionNeverShortens() {
        mandate.extend(time.nanoTime() + TERM.minus(MOMENT).toNanos());
        assertThat(mandate.leftNanos()).isEqualTo(TERM.toNanos());
        mandate.extend(time.nanoTime() + TERM.plus(MOMENT).toNanos());
        assertThat(mandate.leftNanos()).isEqualTo(TERM.plus(MOMENT).toNanos());
    }

    @Test
    void itIsEndedOnceAndTellsNobody() {
        assertThat(mandate.end()).isTrue();
        assertThat(mandate.end()).isFalse();
        assertThat(mandate.lasts()).isFalse();
        assertThat(ends).hasValue(0);
    }
}
