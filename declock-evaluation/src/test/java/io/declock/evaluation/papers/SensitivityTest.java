// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.evaluation.experiment.Assumption;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Trial;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is run under each assumption. */
class SensitivityTest {
    private static List<String> trials(Assumption assumption) {
        return assumption.experiments().stream()
                .flatMap(experiment -> experiment.trials(Size.FULL).stream())
                .map(Trial::id)
                .toList();
    }

    /** Trials of the same id are run once: one that lacked what is assumed would show the default's values. */
    @Test
    void eachAssumptionHasTrialsOfItsOwn() {
        Set<String> seen = new HashSet<>();
        for (Assumption assumption : Sensitivity.assumptions()) {
            assertThat(seen.addAll(trials(assumption))).as(assumption.id()).isTrue();
        }
    }

    @Test
    void theDefaultIsThatOfTheExperiments() {
        Set<String> all = new HashSet<>();
        Experiments.all().forEach(experiment -> experiment.trials(Size.FULL).forEach(trial -> all.add(trial.id())));
        assertThat(all).containsAll(trials(Sensitivity.assumptions().get(0)));
    }

    @Test
    void allAssumptionsHaveTheSameExperiments() {
        List<Assumption> all = Sensitivity.assumptions();
        assertThat(all.stream().map(Assumption::id)).doesNotHaveDuplicates();
        for (Assumption assumption : all) {
            assertThat(assumption.experiments().stream()
                            .map(experiment -> experiment.about().id()))
                    .hasSize(7)
                    .containsExactlyElementsOf(all.get(0).experiments().stream()
                            .map(experiment -> experiment.about().id())
                            .toList());
            assertThat(trials(assumption)).hasSameSizeAs(trials(all.get(0)));
        }
    }
}
