// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HighWaterMarkTest {
    @Test
    void startsAboveTheSecondsAndNeverFalls() {
        HighWaterMark mark = new HighWaterMark(100);
        assertThat(mark.current()).isEqualTo(101);
        mark.raiseAbove(50);
        assertThat(mark.current()).isEqualTo(101);
        mark.raiseAbove(101);
        assertThat(mark.current()).isEqualTo(102);
    }

    @Test
    void staysWithin32BitsAndIsPositiveEvenWithAWrongClock() {
        assertThat(new HighWaterMark(-5).current()).isEqualTo(1);
        assertThat(new HighWaterMark(Long.MAX_VALUE - 1).current()).isEqualTo(HighWaterMark.MAX);
    }
}
