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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** docs/spring.md lists every property with its default and description, and every meter. */
class DocumentationTests {
    private static final Path PAGE = Path.of("..", "docs", "spring.md");

    @Test
    @SuppressWarnings("unchecked")
    void everyPropertyIsDocumentedWithItsDefault() throws IOException {
        String page = Files.readString(PAGE);
        List<Map<String, Object>> properties =
                (List<Map<String, Object>>) metadata().get("properties");
        List<Map<String, Object>> ours = properties.stream()
                .filter(property -> property.get("name").toString().startsWith("declock."))
                .toList();
        assertThat(ours).hasSizeGreaterThan(40).allSatisfy(property -> {
            Object value = property.get("defaultValue");
            String expected = "| `" + property.get("name") + "` | " + (value == null ? "" : "`" + value + "`") + " | "
                    + property.get("description") + " |";
            assertThat(page).contains(expected);
        });
    }

    @Test
    void everyMeterIsDocumented() throws IOException {
        String page = Files.readString(PAGE);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new MeteredLockObserver().bindTo(registry);
        Contexts.locks()
                .run(context -> new DecLockMetrics(context.getBean(ComputeNodeMonitor.class), List.of("a:1"), true)
                        .bindTo(registry));
        Set<String> names = registry.getMeters().stream()
                .map(meter -> meter.getId()
                        .getName()
                        .replace("declock.memory.node.up", "")
                        .replace("declock.memory.node", ""))
                .collect(Collectors.toSet());
        assertThat(names)
                .hasSizeGreaterThan(20)
                .allSatisfy(name -> assertThat(page).contains(name));
    }

    private static Map<String, Object> metadata() throws IOException {
        try (InputStream in =
                DecLockProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(in).isNotNull();
            return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
