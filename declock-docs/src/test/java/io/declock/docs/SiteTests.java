// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.testkit.ChildProcess;
import io.declock.testkit.Needs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MkDocs builds the site of docs without a complaint, each page is in it and complete, and each link of a page leads to a page and a place on it. */
class SiteTests {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("href=\"([^\"]+)\"");
    private static final Pattern ID = Pattern.compile("\\bid=\"([^\"]+)\"");

    @TempDir
    private Path site;

    @Test
    void isBuiltAndEachLinkLeadsSomewhere() throws Exception {
        Needs.program("mkdocs", "The documentation's site", "mkdocs");
        ChildProcess.Finished built = ChildProcess.run(
                new ProcessBuilder("mkdocs", "build", "--strict", "--site-dir", site.toString())
                        .directory(ROOT.toFile())
                        .redirectErrorStream(true),
                Duration.ofMinutes(2));
        assertThat(built.status()).as(built.text()).isZero();
        Map<Path, String> pages = pages();
        assertThat(pages).hasSizeGreaterThan(40).containsKey(site.resolve("index.html"));
        assertThat(pages.get(site.resolve("protocol/index.html")))
                .as("a list after a paragraph, and a list in a list")
                .contains("<li><strong>Header</strong>")
                .containsPattern("<ul>\\s*<li>A releasing writer grants");
        assertThat(brokenLinks(pages)).isEmpty();
        assertThat(pages.values()).as("what is left to be written").noneMatch(html -> html.contains("TODO"));
    }

    private Map<Path, String> pages() throws IOException {
        Map<Path, String> pages = new HashMap<>();
        try (Stream<Path> files = Files.walk(site)) {
            files.filter(file -> file.toString().endsWith(".html"))
                    .filter(file -> !file.endsWith("404.html"))
                    .forEach(file -> pages.put(file, read(file)));
        }
        return pages;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> brokenLinks(Map<Path, String> pages) {
        List<String> broken = new ArrayList<>();
        pages.forEach((page, html) -> {
            Matcher links = LINK.matcher(html);
            while (links.find()) {
                String link = links.group(1);
                if (!link.matches("(https?:|mailto:).*") && !leadsSomewhere(page, link, pages)) {
                    broken.add(site.relativize(page) + " -> " + link);
                }
            }
        });
        return broken;
    }

    private boolean leadsSomewhere(Path page, String link, Map<Path, String> pages) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path folder = path.startsWith("/") ? site : page.getParent();
        Path target = path.isEmpty()
                ? page
                : folder.resolve(path.replaceFirst("^/+", "")).normalize();
        if (Files.isDirectory(target)) {
            target = target.resolve("index.html");
        }
        if (!Files.exists(target)) {
            return false;
        }
        String place = hash < 0 ? "" : link.substring(hash + 1);
        String html = pages.get(target);
        return place.isEmpty() || html == null || ids(html).contains(place);
    }

    private static Set<String> ids(String html) {
        Set<String> ids = new HashSet<>();
        Matcher matcher = ID.matcher(html);
        while (matcher.find()) {
            ids.add(matcher.group(1));
        }
        return ids;
    }
}
