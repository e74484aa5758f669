// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SizeTest {
    @Test
    void aThinSweepHasItsEndsAndItsMiddle() {
        assertThat(Size.FULL.of(0, 1, 2, 4, 8)).containsExactly(0.0, 1.0, 2.0, 4.0, 8.0);
        assertThat(Size.SMOKE.of(0, 1, 2, 4, 8)).containsExactly(0.0, 2.0, 8.0);
        assertThat(Size.SMOKE.of(0, 1)).containsExactly(0.0, 1.0);
    }

    @Test
    void timesAreMultipliedButNeverTooShort() {
        assertThat(Size.FULL.nanos(20)).isEqualTo(20_000_000);
        assertThat(Size.FULL.times(0.5).nanos(20)).isEqualTo(10_000_000);
        assertThat(Size.SMOKE.nanos(0.1)).isEqualTo(100_000);
    }
}
