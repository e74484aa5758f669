// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/synchronization.md and the main code of all modules name the same mutexes, and each of them has fields with {@code @GuardedBy}, which
 * the compiler checks, unless the page says why not.
 *
 * <p>A mutex is a field whose type is a lock of {@code java.util.concurrent.locks}, in a file that makes such a lock; so a reference to
 * another object's mutex is none, and neither are the locks that the benchmarks compare DecLock with.
 */
class MutexesTest {
    private static final Path PROJECT = Path.of("..");
    private static final String LOCK = "(?:ReentrantLock|ReentrantReadWriteLock|StampedLock)";
    private static final Pattern MAKES_ONE = Pattern.compile("new " + LOCK + "\\(");
    private static final Pattern FIELD =
            Pattern.compile("^( +)(?:(?:private|protected|public|static|final) )*" + LOCK + " (\\w+)(?: =.*)?;$");
    private static final Pattern TYPE =
            Pattern.compile("^( *)(?:[a-z]+ )*(?:class|record|interface|enum) ([A-Z]\\w*).*");
    private static final Pattern GUARDED = Pattern.compile("@GuardedBy\\(\"(\\w+)\"\\)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([\\w.]+)`[^|]*\\|");
    private static final Pattern NAMED = Pattern.compile("`([A-Z][\\w.]*\\.\\w+)`");
    private static final Pattern COMMENT_OR_STRING =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"(?:[^\"\\\\\\n]|\\\\.)*\"");
    private static final Pattern SYNCHRONIZED = Pattern.compile("\\bsynchronized\\b");
    private static final String COMPARED = "/benchmarks/peer/";
    private static final int INDENT = 4;

    @Test
    void thePageListsEveryMutexAndNoOther() throws IOException {
        Set<String> listed = named(ROW, section("## Mutexes"));
        Set<String> made = mutexes().keySet();
        assertThat(without(made, listed))
                .as("mutexes that the page does not list")
                .isEmpty();
        assertThat(without(listed, made))
                .as("mutexes of the page that no code makes")
                .isEmpty();
    }

    @Test
    void theCompilerChecksWhatEachMutexGuardsUnlessThePageSaysWhyNot() throws IOException {
        Set<String> excused = named(NAMED, section("## What the compiler checks"));
        Set<String> guardNothing = mutexes().entrySet().stream()
                .filter(mutex -> !mutex.getValue())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(without(guardNothing, excused))
                .as("mutexes without @GuardedBy, for which the page gives no reason")
                .isEmpty();
        assertThat(without(excused, guardNothing))
                .as("mutexes for which the page gives a reason, although a field has @GuardedBy")
                .isEmpty();
    }

    @Test
    void noMainCodeUsesAMonitor() throws IOException {
        for (Path main : mainFolders()) {
            for (Path source : sources(main)) {
                String code =
                        COMMENT_OR_STRING.matcher(Files.readString(source)).replaceAll("");
                assertThat(SYNCHRONIZED.matcher(code).results().count())
                        .as("uses of the keyword synchronized in %s", source)
                        .isZero();
            }
        }
    }

    private static Set<String> without(Set<String> all, Set<String> some) {
        Set<String> rest = new TreeSet<>(all);
        rest.removeAll(some);
        return rest;
    }

    private static String section(String heading) throws IOException {
        String page = Files.readString(PROJECT.resolve("docs").resolve("synchronization.md"));
        int begin = page.indexOf("\n" + heading + "\n");
        assertThat(begin).as(heading).isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        return page.substring(begin, end < 0 ? page.length() : end);
    }

    private static Set<String> named(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns every mutex of the main code, with whether a field or method is guarded by it. */
    private static Map<String, Boolean> mutexes() throws IOException {
        Map<String, Boolean> found = new TreeMap<>();
        for (Path main : mainFolders()) {
            for (Path source : sources(main)) {
                String text = Files.readString(source);
                if (MAKES_ONE.matcher(text).find() && !source.toString().contains(COMPARED)) {
                    addMutexes(text, found);
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(25);
        return found;
    }

    private static List<Path> mainFolders() throws IOException {
        try (Stream<Path> modules = Files.list(PROJECT)) {
            return modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList();
        }
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static void addMutexes(String text, Map<String, Boolean> found) {
        Set<String> guarding = named(GUARDED, text);
        Map<Integer, String> types = new TreeMap<>();
        for (String line : text.split("\n")) {
            Matcher type = TYPE.matcher(line);
            Matcher field = FIELD.matcher(line);
            if (type.matches()) {
                types.put(type.group(1).length(), type.group(2));
            } else if (field.matches()) {
                StringBuilder name = new StringBuilder(field.group(2));
                for (int indent = field.group(1).length() - INDENT; indent >= 0; indent -= INDENT) {
                    name.insert(0, types.get(indent) + ".");
                }
                found.put(name.toString(), guarding.contains(field.group(2)));
            }
        }
    }
}
