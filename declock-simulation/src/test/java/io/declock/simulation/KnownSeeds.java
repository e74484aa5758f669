// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * For each mutation the seed that showed it when the table in docs/simulation.md was printed. A build tries that seed first, which spares
 * it the search for it. {@code -Ddeclock.knownSeeds=false} searches from the first seed, as a table to compare with that one needs.
 */
final class KnownSeeds {
    private static final boolean USED = Boolean.parseBoolean(System.getProperty("declock.knownSeeds", "true"));
    private static final Path TABLE = Path.of("..", "docs", "simulation.md");
    private static final Pattern ROW =
            Pattern.compile("\\| ([^|]+) \\| ([^|]+) \\| `[A-Z_]+` \\| ([0-9]+) \\| [^|]+ \\|");

    private final Map<String, Long> seeds;

    private KnownSeeds(Map<String, Long> seeds) {
        this.seeds = seeds;
    }

    static KnownSeeds read() {
        try {
            return new KnownSeeds(Files.readAllLines(TABLE, StandardCharsets.UTF_8).stream()
                    .map(ROW::matcher)
                    .filter(Matcher::matches)
                    .collect(Collectors.toMap(
                            row -> row.group(1) + ": " + row.group(2),
                            row -> Long.parseLong(row.group(3)) - 1,
                            (first, second) -> first)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the seed to try first, nothing if none is known or the known ones are not to be used. */
    OptionalLong of(Mutation mutation) {
        Long seed = USED ? seeds.get(mutation.toString()) : null;
        return seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
    }
}
