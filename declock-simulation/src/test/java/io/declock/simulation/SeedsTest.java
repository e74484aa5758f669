// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.simulation.OptionsChooser.Profile;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Safety at every step and progress at the end, over thousands of seeds of every profile. How many: {@code -Ddeclock.seeds=N};
 * from which on: {@code -Ddeclock.seed=N}.
 */
class SeedsTest {
    private static final boolean QUICK = Boolean.getBoolean("declock.quick");
    private static final long COUNT = Long.getLong("declock.seeds", QUICK ? 200 : 3000);
    private static final long FIRST = Long.getLong("declock.seed", 0);

    @ParameterizedTest
    @EnumSource(Profile.class)
    void everySeedHoldsEveryProperty(Profile profile) {
        System.out.println("seeds " + FIRST + " to " + (FIRST + COUNT - 1) + " of profile " + profile);
        List<Simulation.Outcome> failed = LongStream.range(FIRST, FIRST + COUNT)
                .parallel()
                .mapToObj(seed -> Simulation.run(seed, OptionsChooser.choose(seed, profile), 0))
                .filter(outcome -> outcome.violation() != null)
                .toList();
        assertThat(failed).as(() -> describe(profile, failed)).isEmpty();
    }

    private static String describe(Profile profile, List<Simulation.Outcome> failed) {
        return failed.stream()
                .limit(5)
                .map(outcome -> "seed " + outcome.seed() + " (replay: java -jar declock-simulation.jar run --profile "
                        + profile + " --first " + outcome.seed() + " --seeds 1 --trace 200): " + outcome.violation())
                .collect(Collectors.joining("\n", failed.size() + " seeds failed\n", "\n"));
    }
}
