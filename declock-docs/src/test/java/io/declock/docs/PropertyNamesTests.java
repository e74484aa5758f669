// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.json.JsonParserFactory;

/**
 * Each name that begins with {@code declock.} on the pages for applications is a property, a group of properties, or a meter. Names of the memory
 * node's program are left out, because that is not on the class path.
 */
class PropertyNamesTests {
    private static final Path ROOT = Path.of("..");
    /** What each name begins with that is a property of the memory node's program, or the group of them. */
    private static final String PROGRAM = "declock.memory-node";

    /** The second file is that of modules whose properties no class binds. */
    private static final List<String> METADATA = List.of(
            "META-INF/spring-configuration-metadata.json", "META-INF/additional-spring-configuration-metadata.json");

    private static final Pattern NAME = Pattern.compile("(?<![\\w.-])declock\\.[a-z]\\w*(?:[.-][a-z]\\w*)*");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/adapters.md",
                "docs/kotlin.md",
                "docs/recipes.md",
                "docs/spring.md",
                "docs/testing.md",
                "docs/migration/README.md",
                "docs/migration/from-curator.md",
                "docs/migration/from-redisson.md",
                "docs/migration/from-shedlock.md",
                "docs/migration/from-spring-integration.md"
            })
    void aPageNamesNothingThatDoesNotExist(String page) throws IOException {
        Set<String> known = properties();
        known.addAll(meters());
        assertThat(names(Files.readString(ROOT.resolve(page))).stream()
                        .filter(name -> !(name + ".").startsWith(PROGRAM + "."))
                        .filter(name ->
                                known.stream().noneMatch(one -> one.equals(name) || one.startsWith(name + "."))))
                .as("names on %s that are no property, no group of properties and no meter", page)
                .isEmpty();
    }

    @Test
    void thePropertiesOfEachModuleAreKnown() throws IOException {
        assertThat(properties())
                .contains(
                        "declock.memory-nodes",
                        "declock.integration.prefix",
                        "declock.shedlock.prefix",
                        "declock.test.private-memory-node");
    }

    @ParameterizedTest
    @ValueSource(strings = {"declock.integration.", "declock.shedlock."})
    void anAdaptersPropertiesAreDocumentedWithTheirDefaults(String group) throws IOException {
        String page = Files.readString(ROOT.resolve("docs/adapters.md"));
        assertThat(metadata())
                .filteredOn(property -> property.get("name").toString().startsWith(group))
                .hasSize(2)
                .allSatisfy(property -> assertThat(page.lines())
                        .contains("| `" + property.get("name") + "` | `" + property.get("defaultValue") + "` | "
                                + property.get("description") + " |"));
    }

    private static Set<String> names(String text) {
        return NAME.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the names in the section on metrics, which a test of the auto-configuration compares with the meters. */
    private static Set<String> meters() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/spring.md"));
        int begin = page.indexOf("\n## Metrics\n");
        Set<String> meters = names(page.substring(begin, page.indexOf("\n## ", begin + 1)));
        assertThat(meters).hasSizeGreaterThan(20);
        return meters;
    }

    private static Set<String> properties() throws IOException {
        return metadata().stream()
                .map(property -> property.get("name").toString())
                .collect(Collectors.toCollection(HashSet::new));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> metadata() throws IOException {
        List<Map<String, Object>> properties = new ArrayList<>();
        for (String file : METADATA) {
            for (URL metadata :
                    Collections.list(PropertyNamesTests.class.getClassLoader().getResources(file))) {
                try (InputStream in = metadata.openStream()) {
                    Map<String, Object> parsed = JsonParserFactory.getJsonParser()
                            .parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                    properties.addAll((List<Map<String, Object>>) parsed.getOrDefault("properties", List.of()));
                }
            }
        }
        return properties;
    }
}
