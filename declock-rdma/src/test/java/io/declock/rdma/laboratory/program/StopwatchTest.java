// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.declock.rdma.laboratory.program.Stopwatch.Rounds;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StopwatchTest {
    /** A tenth of the rounds on either side may be disturbed, or lucky, without a say in it. */
    @Test
    void theSpreadIsThatOfTheMiddleRounds() {
        Rounds rounds = new Rounds();
        IntStream.range(0, 3).forEach(i -> rounds.add(100 + i));
        IntStream.range(0, 25).forEach(i -> rounds.add(20 + i * 0.1));
        IntStream.range(0, 3).forEach(i -> rounds.add(1 + i));
        assertThat(rounds.spread()).isCloseTo(22.4 / 20, within(1e-9));
        assertThat(rounds.lowest()).isEqualTo(1);
        assertThat(rounds.highest()).isEqualTo(102);

        rounds.add(40);
        assertThat(rounds.spread()).as("a fourth one counts").isCloseTo(40.0 / 20, within(1e-9));
    }
}
