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

/** The regions of source files between the comments {@code tag::name[]} and {@code end::name[]}. */
final class Regions {
    private static final Path ROOT = Path.of("..");
    private static final List<Path> SOURCES = List.of(
            Path.of("src", "test", "java"),
            Path.of("src", "test", "resources"),
            ROOT.resolve(Path.of("declock-kotlin", "src", "test", "kotlin")),
            ROOT.resolve(Path.of("sample-app", "src", "main", "java")));

    private static final Pattern REGION =
            Pattern.compile("(?ms)^ *(?://|#) tag::([\\w-]+)\\[]\\n(.*?)^ *(?://|#) end::\\1\\[]$");

    private Regions() {}

    /** Returns the text of each region by its name. */
    static Map<String, String> all() throws IOException {
        Map<String, String> regions = new LinkedHashMap<>();
        for (Path root : SOURCES) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    addThoseOf(file, regions);
                }
            }
        }
        return regions;
    }

    private static void addThoseOf(Path file, Map<String, String> regions) throws IOException {
        Matcher matcher = REGION.matcher(Files.readString(file));
        while (matcher.find()) {
            assertThat(regions.put(matcher.group(1), matcher.group(2)))
                    .as("second region %s, in %s", matcher.group(1), file)
                    .isNull();
        }
    }
}
