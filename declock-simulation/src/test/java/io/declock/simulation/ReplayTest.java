// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.simulation.OptionsChooser.Profile;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The seed determines the whole run: two runs with one seed are identical. */
class ReplayTest {
    private static final long SEEDS = Boolean.getBoolean("declock.quick") ? 3 : 8;

    @ParameterizedTest
    @EnumSource(Profile.class)
    void aSeedReplaysExactly(Profile profile) {
        for (long seed = 0; seed < SEEDS; seed++) {
            Simulation.Outcome first = Simulation.run(seed, OptionsChooser.choose(seed, profile), 0);
            Simulation.Outcome second = Simulation.run(seed, OptionsChooser.choose(seed, profile), 0);
            assertThat(second.hash()).as("hash of seed %d", seed).isEqualTo(first.hash());
            assertThat(second.events()).isEqualTo(first.events());
        }
    }

    @ParameterizedTest
    @EnumSource(Profile.class)
    void keepingATraceChangesNothing(Profile profile) {
        Simulation.Outcome without = Simulation.run(3, OptionsChooser.choose(3, profile), 0);
        Simulation.Outcome with = Simulation.run(3, OptionsChooser.choose(3, profile), 50);
        assertThat(with.hash()).isEqualTo(without.hash());
        assertThat(with.trace()).hasSize(50);
        assertThat(without.trace()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Profile.class)
    void seedsDiffer(Profile profile) {
        long distinct = LongStream.range(0, SEEDS)
                .map(seed -> Simulation.run(seed, OptionsChooser.choose(seed, profile), 0)
                        .hash())
                .distinct()
                .count();
        assertThat(distinct).isEqualTo(SEEDS);
    }
}
