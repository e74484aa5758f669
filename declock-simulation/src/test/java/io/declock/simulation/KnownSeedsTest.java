// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** A seed that is not known, or a wrong one, fails no mutation: its search only takes longer. */
@DisabledIfSystemProperty(named = "declock.knownSeeds", matches = "false")
class KnownSeedsTest {
    private final KnownSeeds known = KnownSeeds.read();

    @Test
    void eachMutationHasOne() {
        assertThat(Mutations.CAUGHT)
                .allSatisfy(mutation -> assertThat(known.of(mutation)).isPresent());
    }

    /** Later seeds than the first ones of the queue's rules, which are soon run. */
    @Test
    void theSeedShowsTheMutation() {
        List<Mutation> later = Mutations.CAUGHT.stream()
                .filter(mutation -> mutation.toString().startsWith("A"))
                .filter(mutation -> known.of(mutation).orElseThrow() > 4)
                .toList();
        assertThat(later).isNotEmpty();
        for (Mutation mutation : later) {
            try (Mutation.Applied applied = mutation.apply()) {
                assertThat(mutation.scenario().run(known.of(mutation).orElseThrow()))
                        .as(mutation.toString())
                        .isNotNull();
            }
        }
    }
}
