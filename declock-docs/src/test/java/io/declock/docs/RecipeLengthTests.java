// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * No recipe of docs/recipes.md is longer than with the library that needs the fewest lines for it, and the page has both numbers. No code of
 * docs/migration is longer than what it replaces. Both sides are regions of compiled sources, in the form that the formatter gives them.
 */
class RecipeLengthTests {
    /** What the names of the regions begin with that other libraries need. */
    static final String PEER = "peer-";

    /** What the names of regions of docs/migration end with that have the former library's code. */
    private static final String BEFORE = "-before";

    private static final Path PAGE = Path.of("..", "docs", "recipes.md");
    private static final String HEADING = "## Lines of code beside the best peer";
    private static final Pattern CODE = Pattern.compile("[^\\s{}()\\[\\],;]");
    private static final Pattern LINK = Pattern.compile("\\(#([\\w-]+)\\)");
    private static final Pattern OTHER_HEADING = Pattern.compile("(?m)^## (?!Lines of code)(.+)$");

    /**
     * One recipe.
     *
     * @param title the words of the page, with a link to the recipe
     * @param region the region that is the recipe
     * @param peer the other library, empty if none has the feature
     * @param peersRegions the regions that it needs
     */
    private record Recipe(String title, String region, String peer, List<String> peersRegions) {
        Recipe(String title, String region, String peer) {
            this(title, region, peer, List.of(PEER + region));
        }

        /** For one that the page shows as a method: what the method needs of its class is counted for the peer. */
        static Recipe method(String title, String region, String peer) {
            String theirs = PEER + region;
            return new Recipe(title, region, peer, List.of(theirs + "-fields", theirs + "-assignments", theirs));
        }

        int lines(Map<String, String> regions) {
            return count(regions, List.of(region));
        }

        int peersLines(Map<String, String> regions) {
            return count(regions, peersRegions);
        }

        String row(Map<String, String> regions) {
            return peersRegions.isEmpty()
                    ? "| %s | %d | none | none of the four has it |".formatted(title, lines(regions))
                    : "| %s | %d | %d | %s |".formatted(title, lines(regions), peersLines(regions), peer);
        }
    }

    private static final List<Recipe> RECIPES = List.of(
            new Recipe("[a job once per cluster](#a-job-once-per-cluster)", "job", "ShedLock"),
            new Recipe("[busy is 409](#a-busy-order-is-409)", "busy", "Spring Integration"),
            Recipe.method("[with a transaction](#with-a-transaction)", "transaction", "Spring Integration"),
            Recipe.method(
                    "[a transfer between two accounts](#a-transfer-between-two-accounts)", "transfer", "Redisson"),
            new Recipe(
                    "[configuration that is mostly read](#configuration-that-is-mostly-read)",
                    "read-mostly",
                    "Redisson"),
            new Recipe("[a leader](#a-leader), told by calls", "leader", "Curator, `LeaderLatch`"),
            new Recipe("[a leader](#a-leader), a method that leads", "plain-leader", "Curator, `LeaderSelector`"),
            new Recipe("[a fallback](#a-fallback-without-the-lock)", "fallback", "Spring Integration"),
            new Recipe("[reactive](#reactive)", "reactive", "Redisson"),
            new Recipe("[a Kafka listener](#a-kafka-listener)", "kafka", "Spring Integration"),
            new Recipe("[suspending functions](#kotlin-suspending-functions)", "kotlin-suspend", "", List.of()),
            Recipe.method(
                    "[entities of an open view](#jpa-entities-of-an-open-view)", "refresh", "Spring Integration"));

    @Test
    void noRecipeIsLongerThanWithTheBestPeer() throws IOException {
        Map<String, String> regions = Regions.all();
        assertThat(RECIPES).allSatisfy(recipe -> {
            if (!recipe.peersRegions().isEmpty()) {
                assertThat(recipe.lines(regions))
                        .as("lines of %s, beside those with %s", recipe.region(), recipe.peer())
                        .isBetween(1, recipe.peersLines(regions));
            }
        });
    }

    @Test
    void noCodeOfTheGuidesIsLongerAfterTheMove() throws IOException {
        Map<String, String> regions = Regions.all();
        List<String> moved = regions.keySet().stream()
                .filter(name -> name.endsWith(BEFORE) && regions.containsKey(after(name)))
                .toList();
        assertThat(moved)
                .hasSizeGreaterThanOrEqualTo(5)
                .allSatisfy(name -> assertThat(count(regions, List.of(after(name))))
                        .as("lines of %s, beside those of %s", after(name), name)
                        .isBetween(1, count(regions, List.of(name))));
    }

    private static String after(String before) {
        return before.substring(0, before.length() - BEFORE.length()) + "-after";
    }

    @Test
    void thePageHasTheNumbersOfEachRecipe() throws IOException {
        Map<String, String> regions = Regions.all();
        String page = Files.readString(PAGE);
        assertThat(rows(page))
                .containsExactlyElementsOf(
                        RECIPES.stream().map(recipe -> recipe.row(regions)).toList());
        assertThat(RECIPES.stream()
                        .map(Recipe::title)
                        .flatMap(title -> LINK.matcher(title).results().map(link -> link.group(1)))
                        .collect(Collectors.toSet()))
                .as("recipes in the table, and on the page")
                .isEqualTo(recipes(page));
    }

    @Test
    void everyRegionOfAPeerIsCounted() throws IOException {
        Set<String> counted = RECIPES.stream()
                .flatMap(recipe -> recipe.peersRegions().stream())
                .collect(Collectors.toSet());
        assertThat(Regions.all().keySet().stream().filter(name -> name.startsWith(PEER)))
                .containsExactlyInAnyOrderElementsOf(counted);
    }

    private static List<String> rows(String page) {
        int begin = page.indexOf("\n" + HEADING + "\n");
        assertThat(begin).as(HEADING).isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        List<String> table = new ArrayList<>(page.substring(begin, end < 0 ? page.length() : end)
                .lines()
                .filter(line -> line.startsWith("|"))
                .toList());
        assertThat(table).hasSizeGreaterThan(2);
        return table.subList(2, table.size());
    }

    /** Returns what the links to the sections of the page are, but to that with the table. */
    private static Set<String> recipes(String page) {
        return OTHER_HEADING
                .matcher(page)
                .results()
                .map(MatchResult::group)
                .map(heading -> heading.substring(3).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    /** Counts lines with more than brackets and separators that are no comment. Regions have no imports. */
    private static int count(Map<String, String> regions, List<String> names) {
        assertThat(regions).containsKeys(names.toArray(String[]::new));
        return (int) names.stream()
                .map(regions::get)
                .flatMap(String::lines)
                .map(String::strip)
                .filter(line -> !line.startsWith("//"))
                .filter(line -> CODE.matcher(line).find())
                .count();
    }
}
