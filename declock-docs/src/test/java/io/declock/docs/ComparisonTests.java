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
    private static final Pattern NAMED = Pattern.compile("`(\\w+)#([^`]+)`");

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        Map<String, String> sources = testSources();
        Matcher named = NAMED.matcher(Files.readString(ROOT.resolve("docs/comparison.md")));
        int count = 0;
        while (named.find()) {
            String method = named.group(2).contains(" ") ? '`' + named.group(2) + '`' : named.group(2);
            assertThat(sources.get(named.group(1)))
                    .as("source of %s, which docs/comparison.md names", named.group(1))
                    .isNotNull()
                    .contains(' ' + method + '(');
            count++;
        }
        assertThat(count).as("tests that the page names").isGreaterThan(36);
    }

    /** Returns the text of each class of tests; classes of the same name are joined. */
    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                for (String language : List.of("java", "kotlin")) {
                    addSources(module.resolve("src/test").resolve(language), sources);
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
