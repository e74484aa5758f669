// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulation detects each broken rule. Prints a table of the rules and of how many seeds each took, so that a checker or a scenario
 * that no longer detects anything is noticed.
 * Only some of the rules: {@code -Ddeclock.mutations=REGEX}, compared with "rule: how it is broken". A quick build breaks the rules of the
 * queue and of the local level (A and D), which are seen within a few seeds.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutationsTest {
    private static final boolean QUICK = Boolean.getBoolean("declock.quick");
    private static final long SEEDS = Long.getLong("declock.mutationSeeds", 4000);
    private static final long CLEAN_SEEDS = QUICK ? 10 : 150;
    private static final long SECOND_LINE_SEEDS = 200;
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
        Pattern wanted = Pattern.compile(System.getProperty("declock.mutations", QUICK ? "^[AD]" : ""));
        return Mutations.CAUGHT.stream()
                .filter(each -> wanted.matcher(each.toString()).find());
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

    static Stream<SecondLine> secondLines() {
        return Mutations.SECOND_LINES.stream();
    }

    /** With the second line in force, breaking the first has no visible effect; with both broken, a violation is soon seen. */
    @Tag("slow")
    @ParameterizedTest
    @MethodSource("secondLines")
    void aSecondLineHoldsWhereTheFirstIsBroken(SecondLine line) {
        String seen = null;
        long seeds = 0;
        try (Mutation.Applied applied = line.both().apply()) {
            while (seen == null && seeds < SEEDS) {
                seen = line.both().scenario().run(seeds++);
            }
        }
        String rescued = null;
        long tried = 0;
        try (Mutation.Applied applied = line.first().apply()) {
            while (rescued == null && tried < Math.max(SECOND_LINE_SEEDS, 10 * seeds)) {
                rescued = line.first().scenario().run(tried++);
            }
        }
        row(line.first(), rescued, tried, "held by the second line");
        row(line.both(), seen, seeds, "NOT SEEN");
        assertThat(seen).as("%s, after %d seeds", line.both(), seeds).isNotNull();
        assertThat(rescued).as("%s, seed %d", line.first(), tried - 1).isNull();
    }

    /** Without a mutation no scenario fails, so that a failure must come from the mutation. */
    @ParameterizedTest
    @EnumSource(Scenario.class)
    void withoutAMutationNothingIsSeen(Scenario scenario) {
        for (long seed = 0; seed < CLEAN_SEEDS; seed++) {
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
