// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each piece of Java and Kotlin on README.md and the pages of docs is compiled: it is a region of a source file of this module, of
 * declock-kotlin for Kotlin, or of the sample, between the comments {@code tag::name[]} and {@code end::name[]}. On docs/recipes.md and the
 * pages of docs/migration that holds for YAML, too. Each region is on a page, but for those of other libraries that {@link RecipeLengthTests}
 * counts.
 *
 * <p>A block is one region, or each of its paragraphs is one. White space does not count, and neither does {@code static} before a class,
 * because classes of the pages are nested in others here. The sign {@code …} on a page stands for any code. Comments of a page count unless the region
 * has none.
 */
class SnippetsTests {
    private static final Path ROOT = Path.of("..");
    private static final Path DOCS = ROOT.resolve("docs");
    /** Languages of blocks that are compiled, on whichever page they are. */
    private static final Set<String> COMPILED = Set.of("java", "kotlin");

    /** Pages on which each block has a language, so that none escapes by lacking one. */
    private static final Set<String> NAMED = Set.of("README.md", "spring.md", "testing.md", "adapters.md", "kotlin.md");

    /** Languages of all blocks on those pages and on the pages whose blocks run. */
    private static final Set<String> KNOWN = Set.of("java", "kotlin", "yaml", "xml", "sql", "sh", "text");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```([^\\n`]*)\\n(.*?)^ *```$");
    private static final Pattern COMMENT = Pattern.compile("(?m)(?:^|\\s)//.*$");
    private static final Pattern PARAGRAPH = Pattern.compile("\\n(?: *\\n)+");
    private static final String ELISION = "…";

    private record Block(Path page, String language, String code) {
        /** Returns the names of the regions that the block shows, none if some code of it is no region. */
        Set<String> regions(Map<String, String> regions) {
            Set<String> whole = shown(code, regions);
            if (!whole.isEmpty()) {
                return whole;
            }
            Set<String> all = new HashSet<>();
            for (String paragraph : PARAGRAPH.split(code)) {
                Set<String> part = shown(paragraph, regions);
                if (part.isEmpty()) {
                    return Set.of();
                }
                all.addAll(part);
            }
            return all;
        }
    }

    @Test
    void thePagesShowCodeThatIsCompiled() throws IOException {
        Map<String, String> regions = Regions.all();
        List<Block> blocks = blocks();
        assertThat(blocks).hasSizeGreaterThan(50);
        assertThat(blocks.stream().map(block -> block.page().getFileName().toString()))
                .as("pages with code")
                .containsAll(NAMED);
        List<String> wrong = new ArrayList<>();
        for (Block block : blocks) {
            if (block.regions(regions).isEmpty()) {
                wrong.add("%s shows code that is no region of a source file:%n%s%nThe nearest one is '%s'. Change both."
                        .formatted(block.page(), block.code(), nearest(block.code(), regions)));
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void everyRegionIsOnAPage() throws IOException {
        Map<String, String> regions = Regions.all();
        Set<String> shown = new HashSet<>();
        blocks().forEach(block -> shown.addAll(block.regions(regions)));
        assertThat(shown)
                .containsExactlyInAnyOrderElementsOf(regions.keySet().stream()
                        .filter(name -> !name.startsWith(RecipeLengthTests.PEER))
                        .toList());
    }

    private static List<Block> blocks() throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages()) {
            Matcher matcher = BLOCK.matcher(Files.readString(page));
            while (matcher.find()) {
                String language = matcher.group(1).strip();
                if (runs(page) || NAMED.contains(page.getFileName().toString())) {
                    assertThat(KNOWN)
                            .as("languages, of which a block on %s has one", page)
                            .contains(language);
                }
                if (COMPILED.contains(language) || runs(page) && language.equals("yaml")) {
                    blocks.add(new Block(page, language, matcher.group(2)));
                }
            }
        }
        return blocks;
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> docs = Files.walk(DOCS)) {
            docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        return pages;
    }

    /** Returns whether tests run what the page shows. */
    private static boolean runs(Path page) {
        return page.endsWith(Path.of("docs", "recipes.md")) || page.getParent().endsWith("migration");
    }

    /** Returns the names of the regions that are this code of a page. */
    private static Set<String> shown(String code, Map<String, String> regions) {
        Pattern exact = elided(code);
        Pattern uncommented = elided(uncommented(code));
        return regions.entrySet().stream()
                .filter(region -> exact.matcher(bare(region.getValue())).matches()
                        || isUncommented(region.getValue())
                                && uncommented.matcher(bare(region.getValue())).matches())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static Pattern elided(String code) {
        return Pattern.compile(
                Stream.of(bare(code).split(ELISION, -1)).map(Pattern::quote).collect(Collectors.joining(".*?")));
    }

    private static boolean isUncommented(String code) {
        return code.equals(uncommented(code));
    }

    private static String uncommented(String code) {
        return COMMENT.matcher(code).replaceAll("");
    }

    private static String bare(String code) {
        return code.replaceAll("\\bstatic (?=(?:final )?(?:class|record|interface)\\b)", "")
                .replaceAll("\\s", "")
                // The formatter for Kotlin puts a comma behind the last of several lines.
                .replaceAll(",(?=[)\\]}])", "");
    }

    private static String nearest(String code, Map<String, String> regions) {
        List<String> lines = uncommented(code)
                .lines()
                .map(SnippetsTests::bare)
                .filter(line -> line.length() > 3)
                .toList();
        return regions.entrySet().stream()
                .max(Comparator.comparingLong(region -> common(lines, bare(region.getValue()))))
                .orElseThrow()
                .getKey();
    }

    private static long common(List<String> lines, String region) {
        return lines.stream().filter(region::contains).count();
    }
}
