// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table in section "Rules" of docs/protocol.md and the code name the same rules.
 *
 * <p>A rule's name is a letter from A to E, G, H, M, O or R, and a number ("A3", "B12.1"), or F alone. A citation is the word "rule" or "rules"
 * in a source file, followed by one or more names with commas, "and" or "to" between them: "rule A3", "rules B3, B4 and B6", "rules G1 to G3". The rule column
 * of {@link Mutations} cites too.
 */
class RulesTest {
    private static final Path PROJECT = Path.of("..");
    private static final String NAME = "(?:[A-EGHKMORV][0-9]{1,2}(?:\\.[0-9])?|F)\\b";
    private static final Pattern CITATION =
            Pattern.compile("\\b[Rr]ules? (" + NAME + "(?:(?:, | and |, and | to )" + NAME + ")*)");
    /** A word of the form of a rule's name. It is a rule's name only in a citation. H2 is a database, too. */
    private static final Pattern LIKE_A_NAME = Pattern.compile("\\b(?!H2\\b)[A-EGHKMORV][0-9]{1,2}(?:\\.[0-9])?\\b");

    private static final Pattern MUTATION = Pattern.compile("\\*([^*]+)\\*");
    private static final Pattern CLASS_NAME = Pattern.compile("`([A-Z][A-Za-z]+)`");

    /** One row of the table. */
    private record Row(String rule, String says, String where, String checkedBy, String otherwise) {}

    @Test
    void everyRuleThatIsCitedIsInTheTable() throws IOException {
        assertThat(citedInSources()).hasSizeGreaterThan(30);
        assertThat(citedByMutations()).hasSizeGreaterThan(30);
        Map<String, Set<Path>> unknown = citedInSources();
        unknown.keySet().removeAll(table().keySet());
        assertThat(unknown)
                .as("rules without a row, and the sources that cite them")
                .isEmpty();
        assertThat(without(citedByMutations().keySet(), table().keySet()))
                .as("rules without a row that mutations cite")
                .isEmpty();
    }

    @Test
    void everyRuleOfTheTableIsCited() throws IOException {
        Set<String> cited = new TreeSet<>(citedInSources().keySet());
        cited.addAll(citedByMutations().keySet());
        assertThat(without(table().keySet(), cited))
                .as("rules of the table that neither the code nor a mutation cites")
                .isEmpty();
    }

    @Test
    void noNameOfARuleStandsOutsideOfACitation() throws IOException {
        for (Path source : mainSources()) {
            String rest = CITATION.matcher(textOf(source)).replaceAll("");
            assertThat(LIKE_A_NAME.matcher(rest).results().map(found -> found.group()))
                    .as("names in %s that no word 'rule' comes before", source)
                    .isEmpty();
        }
    }

    @Test
    void theTableNamesEveryMutationInTheRowOfItsRuleAndNoOther() throws IOException {
        Set<String> named = new TreeSet<>();
        for (Row row : table().values()) {
            found(MUTATION, row.checkedBy()).forEach(mutation -> named.add(row.rule() + ": " + mutation));
        }
        Set<String> made = new TreeSet<>();
        citedByMutations()
                .forEach((rule, mutations) -> mutations.forEach(mutation -> made.add(rule + ": " + mutation)));
        assertThat(without(made, named))
                .as("mutations that the table does not name")
                .isEmpty();
        assertThat(without(named, made))
                .as("mutations of the table that do not exist")
                .isEmpty();
    }

    @Test
    void theSimulationsPageSaysWhyARuleHasNoMutation() throws IOException {
        String page = Files.readString(PROJECT.resolve("docs").resolve("simulation.md"));
        int begin = page.indexOf("\n### Rules without a mutation\n");
        assertThat(begin).as("the section Rules without a mutation").isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        Set<String> explained = new TreeSet<>();
        for (String line : page.substring(begin, end < 0 ? page.length() : end).split("\n", -1)) {
            if (line.matches("\\| " + NAME + ".*\\|.*\\|")) {
                explained.addAll(List.of(line.split("\\|", -1)[1].strip().split(", ", -1)));
            }
        }
        assertThat(explained)
                .isEqualTo(without(table().keySet(), citedByMutations().keySet()));
    }

    @Test
    void everyClassOfTheTableExists() throws IOException {
        Set<String> classes = new TreeSet<>();
        for (Path source : sources("")) {
            classes.add(source.getFileName().toString().replace(".java", ""));
        }
        for (Row row : table().values()) {
            Set<String> named = found(CLASS_NAME, row.where());
            assertThat(named).as("where of %s", row.rule()).isNotEmpty();
            named.addAll(found(CLASS_NAME, row.checkedBy()));
            assertThat(without(named, classes))
                    .as("classes that the row of %s names and that do not exist", row.rule())
                    .isEmpty();
        }
    }

    @Test
    void aCitationIsFoundAcrossLinesAndNothingElseIs() {
        assertThat(cited("(rules A1, A2,\n * A3 and B12.1 of docs/protocol.md)"))
                .containsExactly("A1", "A2", "A3", "B12.1");
        assertThat(cited("Rule F: as rule O1 says")).containsExactly("F", "O1");
        assertThat(cited("B200, the rules of C1, rule A, rule FAA, rule C123")).isEmpty();
    }

    private static Set<String> without(Set<String> all, Set<String> some) {
        Set<String> rest = new TreeSet<>(all);
        rest.removeAll(some);
        return rest;
    }

    // ---------------------------------------------------------------- the table

    private static Map<String, Row> table() throws IOException {
        String page = Files.readString(PROJECT.resolve("docs").resolve("protocol.md"));
        int begin = page.indexOf("\n## Rules\n");
        assertThat(begin).as("the section Rules").isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        Map<String, Row> rows = new LinkedHashMap<>();
        for (String line : page.substring(begin, end < 0 ? page.length() : end).split("\n", -1)) {
            if (!line.matches("\\| " + NAME + " \\|.*")) {
                continue;
            }
            String[] cells = line.split("\\|", -1);
            assertThat(cells).as("%s", line).hasSize(7);
            Row row = new Row(cells[1].strip(), cells[2].strip(), cells[3].strip(), cells[4].strip(), cells[5].strip());
            assertThat(List.of(row.says(), row.where(), row.checkedBy(), row.otherwise()))
                    .as("%s", line)
                    .doesNotContain("");
            assertThat(rows.put(row.rule(), row))
                    .as("the other row of %s", row.rule())
                    .isNull();
        }
        assertThat(rows).isNotEmpty();
        return rows;
    }

    private static Set<String> found(Pattern pattern, String cell) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(cell);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    // ---------------------------------------------------------------- citations

    /** By rule, the mutations that break it. */
    private static Map<String, Set<String>> citedByMutations() {
        Stream<Mutation> secondLines =
                Mutations.SECOND_LINES.stream().flatMap(line -> Stream.of(line.first(), line.both()));
        Map<String, Set<String>> cited = new TreeMap<>();
        Stream.concat(Mutations.CAUGHT.stream(), secondLines).forEach(mutation -> {
            for (String rule : mutation.rule().split(", ", -1)) {
                cited.computeIfAbsent(rule, key -> new TreeSet<>()).add(mutation.what());
            }
        });
        return cited;
    }

    /** By rule, the sources that cite it. */
    private static Map<String, Set<Path>> citedInSources() throws IOException {
        Map<String, Set<Path>> cited = new TreeMap<>();
        for (Path source : mainSources()) {
            for (String rule : cited(textOf(source))) {
                cited.computeIfAbsent(rule, key -> new TreeSet<>()).add(source);
            }
        }
        return cited;
    }

    private static List<String> cited(String text) {
        List<String> rules = new ArrayList<>();
        Matcher citation = CITATION.matcher(onOneLine(text));
        while (citation.find()) {
            rules.addAll(Arrays.asList(citation.group(1).split(", and |, | and | to ", -1)));
        }
        return rules;
    }

    private static String textOf(Path source) {
        try {
            return onOneLine(Files.readString(source));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Joins lines, without what comments begin them with. */
    private static String onOneLine(String text) {
        return text.replaceAll("\\R\\s*(?:\\*|//)?\\s*", " ");
    }

    private static List<Path> mainSources() throws IOException {
        return sources("src/main/java");
    }

    /** Returns every source of every module whose path has that part. */
    private static List<Path> sources(String part) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path module : modules()) {
            try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> file.toString().replace('\\', '/').contains(part))
                        .forEach(sources::add);
            }
        }
        assertThat(sources).hasSizeGreaterThan(300);
        return sources;
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> all = Files.list(PROJECT)) {
            return all.filter(each -> Files.isRegularFile(each.resolve("pom.xml")))
                    .filter(each -> Files.isDirectory(each.resolve("src")))
                    .toList();
        }
    }
}
