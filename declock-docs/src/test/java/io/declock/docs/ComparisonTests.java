// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each row of the comparison names tests that are there. */
class ComparisonTests {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TEST = Pattern.compile("@\\w*Test\\b");
    private static final Pattern NAMED = Pattern.compile("`(\\w+)#([^`]+)`");

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        Map<String, String> sources = testSources();
        for (String row : rows()) {
            Matcher named = NAMED.matcher(row);
            int count = 0;
            while (named.find()) {
                assertThat(sources)
                        .as("test classes, one of which docs/comparison.md names")
                        .containsKey(named.group(1));
                assertThat(isTest(sources.get(named.group(1)), named.group(2)))
                        .as("%s is a test", named.group())
                        .isTrue();
                count++;
            }
            assertThat(count).as("tests of the row %s", row).isPositive();
        }
    }

    private static List<String> rows() throws IOException {
        List<String> rows = Files.readAllLines(ROOT.resolve("docs/comparison.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| ---") && !line.contains("| seen in |"))
                .toList();
        assertThat(rows).as("features and complaints").hasSize(36);
        return rows;
    }

    private static boolean isTest(String source, String name) {
        String declaration = name.contains(" ") ? "fun `" + name + "`(" : "void " + name + "(";
        int at = source.indexOf(declaration);
        String annotations = at < 0 ? "" : source.substring(source.lastIndexOf("\n\n", at), at);
        return TEST.matcher(annotations).find() && !annotations.contains("@Disabled");
    }

    /** Returns the text of each class of tests; classes of the same name are joined. */
    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                for (String language : List.of("java", "kotlin")) {
                    addSources(module.resolve("src/test").resolve(language), sources);
                    // Contracts that several modules run lie among main sources.
                    addSources(module.resolve("src/main").resolve(language), sources);
                }
            }
        }
        return sources;
    }

    private static void addSources(Path root, Map<String, String> sources) throws IOException {
        if (!Files.isDirectory(root)) {
            return;
        }
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString().replaceFirst("\\.(java|kt)$", "");
                sources.merge(name, Files.readString(file), String::concat);
            }
        }
    }
}
