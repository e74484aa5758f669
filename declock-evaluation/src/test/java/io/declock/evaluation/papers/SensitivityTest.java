// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.evaluation.experiment.Assumption;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.experiment.Trial;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is run under each assumption. */
class SensitivityTest {
    private static List<String> trials(Assumption assumption) {
        return assumption.experiments().stream()
                .flatMap(experiment -> trials(experiment).stream())
                .toList();
    }

    private static List<String> trials(Experiment experiment) {
        return experiment.trials(Size.FULL).stream().map(Trial::id).toList();
    }

    private static Assumption assumption(String id) {
        return Sensitivity.assumptions().stream()
                .filter(assumption -> assumption.id().equals(id))
                .findFirst()
                .orElseThrow();
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

    @ParameterizedTest
    @ValueSource(strings = {"declock-library", "declock-unbounded", "declock-as-printed"})
    void anAssumptionOfDecLockIsOneOfBothItsPolicies(String id) {
        List<String> byDefault = trials(Sensitivity.assumptions().get(0));
        assertThat(trials(assumption(id)))
                .allSatisfy(trial -> assertThat(byDefault.contains(trial)).isEqualTo(!trial.startsWith("DecLock")));
    }

    /** The paper prints how many verbs are inside for each figure but the third. */
    @Test
    void theVerbsInsideOfNoFigureButTheThirdAreAssumed() {
        List<Experiment> byDefault = Sensitivity.assumptions().get(0).experiments();
        List<Experiment> assumed = assumption("inside-2").experiments();
        for (int i = 0; i < byDefault.size(); i++) {
            if (byDefault.get(i).about().id().equals("declock-figure-3")) {
                assertThat(trials(assumed.get(i))).allMatch(trial -> trial.contains("verbsInside=2"));
            } else {
                assertThat(trials(assumed.get(i))).isEqualTo(trials(byDefault.get(i)));
            }
        }
    }
}
