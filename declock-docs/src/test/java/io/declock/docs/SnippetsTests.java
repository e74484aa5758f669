// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each piece of code on docs/recipes.md and the pages of docs/migration is a region of a file of this module, for Kotlin of declock-kotlin,
 * between the comments {@code tag::name[]} and {@code end::name[]}, and each region is on a page. White space does not count, and neither does {@code static} before a class,
 * because classes of the pages are nested in tests here.
 */
class SnippetsTests {
    private static final Path DOCS = Path.of("..", "docs");
    private static final List<Path> SOURCES = List.of(
            Path.of("src", "test", "java"),
            Path.of("src", "test", "resources"),
            Path.of("..", "declock-kotlin", "src", "test", "kotlin"));
    /** Languages of blocks whose text is compared. */
    private static final Set<String> CODE = Set.of("java", "kotlin", "yaml");
    /** Languages of other blocks; there is none without a language. */
    private static final Set<String> OTHER = Set.of("xml", "sql", "text");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```([^\\n`]*)\\n(.*?)^ *```$");
    private static final Pattern REGION =
            Pattern.compile("(?ms)^ *(?://|#) tag::([\\w-]+)\\[]\\n(.*?)^ *(?://|#) end::\\1\\[]$");

    private record Block(Path page, String language, String code) {}

    @Test
    void thePagesShowCodeThatIsCompiled() throws IOException {
        Map<String, String> regions = regions();
        Set<String> known = new HashSet<>(regions.values());
        List<Block> blocks = blocks();
        assertThat(blocks).hasSizeGreaterThan(25);
        for (Block block : blocks) {
            if (!known.contains(bare(block.code()))) {
                fail(
                        "%s shows code that is no region of declock-docs or declock-kotlin:%n%s%nThe nearest one is '%s'. Change both."
                                .formatted(block.page(), block.code(), nearest(block.code(), regions)));
            }
        }
    }

    @Test
    void everyRegionIsOnAPage() throws IOException {
        Set<String> shown = new HashSet<>();
        blocks().forEach(block -> shown.add(bare(block.code())));
        assertThat(regions())
                .allSatisfy(
                        (name, code) -> assertThat(shown).as("region %s", name).contains(code));
    }

    private static List<Block> blocks() throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages()) {
            Matcher matcher = BLOCK.matcher(Files.readString(page));
            while (matcher.find()) {
                String language = matcher.group(1).strip();
                assertThat(language)
                        .as("language of a block on %s", page)
                        .satisfies(found -> assertThat(CODE.contains(found) || OTHER.contains(found))
                                .isTrue());
                if (CODE.contains(language)) {
                    blocks.add(new Block(page, language, matcher.group(2)));
                }
            }
        }
        return blocks;
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(DOCS.resolve("recipes.md")));
        try (Stream<Path> migration = Files.list(DOCS.resolve("migration"))) {
            migration.filter(page -> page.toString().endsWith(".md")).forEach(pages::add);
        }
        return pages;
    }

    private static Map<String, String> regions() throws IOException {
        Map<String, String> regions = new LinkedHashMap<>();
        for (Path root : SOURCES) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Matcher matcher = REGION.matcher(Files.readString(file));
                    while (matcher.find()) {
                        assertThat(regions.put(matcher.group(1), bare(matcher.group(2))))
                                .as("second region %s, in %s", matcher.group(1), file)
                                .isNull();
                    }
                }
            }
        }
        return regions;
    }

    private static String bare(String code) {
        return code.replaceAll("\\bstatic (?=(?:final )?(?:class|record|interface)\\b)", "")
                .replaceAll("\\s", "");
    }

    private static String nearest(String code, Map<String, String> regions) {
        List<String> lines = code.lines()
                .map(SnippetsTests::bare)
                .filter(line -> line.length() > 3)
                .toList();
        return regions.entrySet().stream()
                .max((one, other) -> Long.compare(common(lines, one.getValue()), common(lines, other.getValue())))
                .orElseThrow()
                .getKey();
    }

    private static long common(List<String> lines, String region) {
        return lines.stream().filter(region::contains).count();
    }
}
