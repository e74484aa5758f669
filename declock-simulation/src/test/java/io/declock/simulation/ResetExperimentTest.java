// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.simulation.AdapterModel.Processor;
import io.declock.simulation.ResetExperiment.Result;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ResetExperimentTest {
    private static final Duration HOLD = Duration.ofSeconds(10);

    @Test
    void noResetWaitsForAReader() {
        Result result = ResetExperiment.run(16, HOLD, false);
        assertThat(result.kept()).isTrue();
        assertThat(result.held()).isEqualTo(HOLD.toNanos());
        assertThat(result.reset()).isLessThan(83_000);
        assertThat(result.readerWait()).as("another reader gets in beside it").isLessThan(10_000_000);
        assertThat(result.writerWait()).as("a writer does not").isGreaterThan(9_900_000_000L);
    }

    @Test
    void thePapersResetWaitsForTheReaderAndSoDoesEverybody() {
        Result result = ResetExperiment.run(16, HOLD, true);
        assertThat(result.reset()).isGreaterThan(9_900_000_000L);
        assertThat(result.readerWait()).isGreaterThan(9_900_000_000L);
    }

    /** The initiator sends a message to each member and receives one, on one core. */
    @Test
    void aProcessorsTimeForMessagesCountsTwiceForEachMember() {
        Processor processor = new Processor(1, 0, 0, 1_000, 1_000, 0);
        long few = ResetExperiment.run(8, processor).reset();
        long many = ResetExperiment.run(64, processor).reset();
        assertThat(many - few).isBetween(2 * 56_000L - 3_000, 2 * 56_000L + 3_000);
    }
}
