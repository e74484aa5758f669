// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.simulation.OptionsChooser.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** The functions of {@link Math} may differ in the last bit from machine to machine, and those of {@link StrictMath} may not. */
    @ParameterizedTest
    @ValueSource(strings = {"declock-simulation", "declock-protocols", "declock-evaluation"})
    void noFunctionThatDiffersFromMachineToMachineIsUsed(String module) throws IOException {
        Pattern differs = Pattern.compile("\\bMath\\.(a?(sin|cos|tan)h?2?|cbrt|exp(m1)?|hypot|log(10|1p)?|pow)\\(");
        try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
            List<Path> sources =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(sources).hasSizeGreaterThan(20);
            for (Path source : sources) {
                assertThat(Files.readString(source)).as(source.toString()).doesNotContainPattern(differs);
            }
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
