// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.GrantKind;
import io.declock.LockMode;
import org.junit.jupiter.api.Test;

/** Waits of late and since the start. */
class WaitTimesTest {
    private final WaitTimes waits = new WaitTimes();

    private void waited(long micros) {
        waits.granted("x", LockMode.WRITE, GrantKind.PEER, micros * 1000);
    }

    @Test
    void forgetsAfterTenWindowsOnly() {
        waited(500);
        for (int window = 0; window < 10; window++) {
            assertThat(waits.turn().count()).isEqualTo(1);
        }
        assertThat(waits.turn().count()).isZero();
        assertThat(waits.all().count()).isEqualTo(1);
    }

    @Test
    void restartForgetsTheRecentOnes() {
        waited(500);
        waits.turn();
        waited(500);
        waits.restart();

        assertThat(waits.turn().count()).isZero();
        assertThat(waits.all().count()).isEqualTo(2);
    }
}
