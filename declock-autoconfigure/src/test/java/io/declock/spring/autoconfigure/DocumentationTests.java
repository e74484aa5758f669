// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.ComputeNodeMonitor;
import io.declock.spring.Contexts;
import io.declock.spring.metrics.DecLockMetrics;
import io.declock.spring.metrics.MeteredLockObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** docs/spring.md lists every property with its default and description, and every meter, and no other. */
class DocumentationTests {
    private static final Path PAGE = Path.of("..", "docs", "spring.md");
    private static final Pattern FIRST_CELL = Pattern.compile("(?m)^\\|([^|]*)\\|");
    private static final Pattern NAME = Pattern.compile("`([\\w.-]+)`");

    @Test
    @SuppressWarnings("unchecked")
    void everyPropertyIsDocumentedWithItsDefault() throws IOException {
        List<Map<String, Object>> properties =
                (List<Map<String, Object>>) metadata().get("properties");
        List<Map<String, Object>> ours = properties.stream()
                .filter(property -> property.get("name").toString().startsWith("declock."))
                .toList();
        assertThat(ours).hasSizeGreaterThan(40);
        String section = section("## Properties");
        assertThat(names(section))
                .containsExactlyInAnyOrderElementsOf(ours.stream()
                        .map(property -> property.get("name").toString())
                        .toList());
        assertThat(ours).allSatisfy(property -> {
            Object value = property.get("defaultValue");
            String expected = "| `" + property.get("name") + "` | " + (value == null ? "" : "`" + value + "`") + " | "
                    + property.get("description") + " |";
            assertThat(section.lines().filter(line -> line.startsWith("| `" + property.get("name") + "` ")))
                    .containsExactly(expected);
        });
    }

    @Test
    void everyMeterIsDocumented() throws IOException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new MeteredLockObserver().bindTo(registry);
        Contexts.locks()
                .run(context -> new DecLockMetrics(context.getBean(ComputeNodeMonitor.class), List.of("a:1"), true)
                        .bindTo(registry));
        Set<String> meters = registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .collect(Collectors.toSet());
        assertThat(meters).hasSizeGreaterThan(20);
        assertThat(names(section("## Metrics"))).containsExactlyInAnyOrderElementsOf(meters);
    }

    private static String section(String heading) throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf("\n" + heading + "\n");
        assertThat(begin).as(heading).isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        return page.substring(begin, end < 0 ? page.length() : end);
    }

    /** Returns the names in the first column of a table. One that begins with a dot goes on where the last dot of the first is. */
    private static List<String> names(String section) {
        List<String> names = new ArrayList<>();
        FIRST_CELL.matcher(section).results().map(cell -> cell.group(1)).forEach(cell -> {
            List<String> ofRow =
                    NAME.matcher(cell).results().map(name -> name.group(1)).toList();
            for (String name : ofRow) {
                String first = ofRow.get(0);
                names.add(name.startsWith(".") ? first.substring(0, first.lastIndexOf('.')) + name : name);
            }
        });
        return names;
    }

    private static Map<String, Object> metadata() throws IOException {
        try (InputStream in =
                DecLockProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(in).isNotNull();
            return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
