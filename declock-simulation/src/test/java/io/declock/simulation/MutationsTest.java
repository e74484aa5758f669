// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
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
 * The seeds that {@link KnownSeeds} knows are tried first.
 * Only some of the rules: {@code -Ddeclock.mutations=REGEX}, compared with "rule: how it is broken". A quick build breaks the rules of the
 * queue and of the local level (A and D), which are seen within a few seeds.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutationsTest {
    private static final boolean QUICK = Boolean.getBoolean("declock.quick");
    private static final long SEEDS = Long.getLong("declock.mutationSeeds", 4000);
    private static final long CLEAN_SEEDS = QUICK ? 10 : 40;
    private static final long SECOND_LINE_SEEDS = 100;
    private final StringBuilder table = new StringBuilder();
    private final KnownSeeds known = KnownSeeds.read();

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
        Search search;
        try (Mutation.Applied applied = mutation.apply()) {
            search = Search.trying(known.of(mutation), mutation.scenario());
        }
        row(mutation, search.seen, search.seeds, "NOT SEEN");
        assertThat(search.seen).as("%s, after %d seeds", mutation, search.seeds).isNotNull();
        assertThat(mutation.scenario().run(search.seeds - 1))
                .as("the same seed with the rule in force")
                .isNull();
    }

    /**
     * A search for the first seed in which something is seen.
     *
     * @param seen what was seen, null if nothing was
     * @param seeds number of seeds up to that one
     */
    private record Search(@Nullable String seen, long seeds) {
        private static final int SIDE_BY_SIDE = 16;

        /** Searches from the first seed only if the known one shows nothing. */
        static Search trying(OptionalLong known, Scenario scenario) {
            if (known.isPresent()) {
                String seen = scenario.run(known.getAsLong());
                if (seen != null) {
                    return new Search(seen, known.getAsLong() + 1);
                }
            }
            return in(scenario, SEEDS);
        }

        static Search in(Scenario scenario, long most) {
            String first = scenario.run(0);
            if (first != null) {
                return new Search(first, 1);
            }
            for (long from = 1; from < most; from += SIDE_BY_SIDE) {
                List<String> seen = LongStream.range(from, Math.min(most, from + SIDE_BY_SIDE))
                        .parallel()
                        .mapToObj(seed -> Objects.requireNonNullElse(scenario.run(seed), ""))
                        .toList();
                for (int i = 0; i < seen.size(); i++) {
                    if (!seen.get(i).isEmpty()) {
                        return new Search(seen.get(i), from + i + 1);
                    }
                }
            }
            return new Search(null, most);
        }
    }

    static Stream<SecondLine> secondLines() {
        return Mutations.SECOND_LINES.stream();
    }

    /** With the second line in force, breaking the first has no visible effect; with both broken, a violation is soon seen. */
    @Tag("slow")
    @ParameterizedTest
    @MethodSource("secondLines")
    void aSecondLineHoldsWhereTheFirstIsBroken(SecondLine line) {
        Search both;
        try (Mutation.Applied applied = line.both().apply()) {
            both = Search.in(line.both().scenario(), SEEDS);
        }
        Search first;
        try (Mutation.Applied applied = line.first().apply()) {
            first = Search.in(line.first().scenario(), Math.max(SECOND_LINE_SEEDS, 10 * both.seeds));
        }
        row(line.first(), first.seen, first.seeds, "held by the second line");
        row(line.both(), both.seen, both.seeds, "NOT SEEN");
        assertThat(both.seen).as("%s, after %d seeds", line.both(), both.seeds).isNotNull();
        assertThat(first.seen).as("%s, seed %d", line.first(), first.seeds - 1).isNull();
    }

    /** Without a mutation no scenario fails, so that a failure must come from the mutation. */
    @ParameterizedTest
    @EnumSource(Scenario.class)
    void withoutAMutationNothingIsSeen(Scenario scenario) {
        assertThat(Search.in(scenario, CLEAN_SEEDS)).isEqualTo(new Search(null, CLEAN_SEEDS));
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
