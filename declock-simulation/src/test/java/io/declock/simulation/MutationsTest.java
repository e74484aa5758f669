// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulation sees each rule broken. Prints a table of rules and of how many seeds each took, so that a checker or a scenario
 * that has gone blind is noticed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutationsTest {
    private static final long SEEDS = Long.getLong("declock.mutationSeeds", 4000);
    private static final long MASKED_SEEDS = Long.getLong("declock.maskedSeeds", 200);
    private final StringBuilder table = new StringBuilder();

    @BeforeAll
    void head() {
        table.append(String.format(
                "%n%-14s %-58s %-15s %6s  %s%n", "rule", "broken like this", "scenario", "seeds", "seen as"));
    }

    @AfterAll
    void print() {
        System.out.println(table);
    }

    static Stream<Mutation> mutations() {
        return Mutations.CAUGHT.stream();
    }

    @ParameterizedTest
    @MethodSource("mutations")
    void aBrokenRuleIsSeen(Mutation mutation) {
        String seen = null;
        long seeds = 0;
        try (Mutation.Applied applied = mutation.apply()) {
            while (seen == null && seeds < SEEDS) {
                seen = mutation.scenario().run(seeds++);
            }
        }
        row(mutation, seen, seeds, "NOT SEEN");
        assertThat(seen).as("%s, after %d seeds", mutation, seeds).isNotNull();
        assertThat(mutation.scenario().run(seeds - 1))
                .as("the same seed with the rule in force")
                .isNull();
    }

    static Stream<Mutation> maskedMutations() {
        return Mutations.MASKED.stream();
    }

    /** Not a requirement but a fact worth knowing: these stay unseen, because another rule disposes of the consequence. */
    @ParameterizedTest
    @MethodSource("maskedMutations")
    void aMaskedRuleIsLookedFor(Mutation mutation) {
        String seen = null;
        long seeds = 0;
        try (Mutation.Applied applied = mutation.apply()) {
            while (seen == null && seeds < MASKED_SEEDS) {
                seen = mutation.scenario().run(seeds++);
            }
        }
        row(mutation, seen, seeds, "not seen");
    }

    /** What is seen must come from the mutation. */
    @ParameterizedTest
    @EnumSource(Scenario.class)
    void withoutAMutationNothingIsSeen(Scenario scenario) {
        for (long seed = 0; seed < 150; seed++) {
            assertThat(scenario.run(seed)).as("seed %d of %s", seed, scenario).isNull();
        }
    }

    private void row(Mutation mutation, @Nullable String seen, long seeds, String otherwise) {
        table.append(String.format(
                "%-14s %-58s %-15s %6s  %s%n",
                mutation.rule(),
                mutation.what(),
                mutation.scenario(),
                seen == null ? ">" + seeds : seeds,
                seen == null ? otherwise : property(seen)));
    }

    private static String property(@Nullable String seen) {
        return seen == null ? "" : List.of(seen.split(":", 2)).get(0);
    }
}
