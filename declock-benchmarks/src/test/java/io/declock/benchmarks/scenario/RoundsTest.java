// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.benchmarks.report.Goal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Several rounds are judged by their medians. */
class RoundsTest {
    private static Rounds of(@Nullable Double... measured) {
        Rounds rounds = new Rounds();
        Arrays.stream(measured).forEach(ratio -> {
            Outcome outcome = new Outcome("some scenario");
            outcome.goal(Goal.atMost("something kept always", 1.0, 2));
            outcome.goal(Goal.atLeast("ratio", ratio, 5));
            rounds.add(outcome);
        });
        return rounds;
    }

    @Test
    void eachRoundBeginsWithAnother() {
        List<String> all = List.of("a", "b", "c", "d", "e", "f");
        assertThat(Rounds.inTurn(all, 1, 3)).isEqualTo(all);
        assertThat(Rounds.inTurn(all, 2, 3)).containsExactly("c", "d", "e", "f", "a", "b");
        assertThat(Rounds.inTurn(all, 3, 3)).containsExactly("e", "f", "a", "b", "c", "d");
        assertThat(Rounds.inTurn(List.of("a", "b"), 2, 5)).containsExactly("b", "a");
    }

    @Test
    void theMedianDecides() {
        assertThat(of(4.0, 9.0, 5.5).goals())
                .containsExactly(Goal.atMost("something kept always", 1.0, 2), Goal.atLeast("ratio", 5.5, 5));
        assertThat(of(9.0, 3.0, 4.9).goals().get(1).verdict()).isEqualTo("FAIL");
        assertThat(of(4.0, 6.0).goals().get(1).measured()).isEqualTo(5.0);
        assertThat(of(4.0, 9.0, 5.5).toString()).contains("[4.00, 9.00, 5.50]");
    }

    @Test
    void whatWasNotMeasuredIsLeftOut() {
        assertThat(of(null, 6.0).goals().get(1).measured()).isEqualTo(6.0);
        assertThat(of((Double) null).goals().get(1).verdict()).isEqualTo("NOT MEASURED");
    }

    @Test
    void oneUnsoundRoundIsEnough() {
        Rounds rounds = of(6.0);
        Outcome broken = new Outcome("some scenario");
        broken.skipped("could not run", true);
        rounds.add(broken);
        assertThat(rounds.isSound()).isFalse();
        assertThat(rounds.toMap()).containsEntry("sound", false).containsKeys("rounds", "goals");
    }

    @Test
    void oneRoundIsToldAsItIsAndSeveralWithTheirMedians() {
        assertThat(of(6.0).toMap()).containsKey("results").doesNotContainKey("rounds");
        Map<String, Object> three = of(4.0, 9.0, 5.5).toMap();
        assertThat(three).containsEntry("sound", true);
        assertThat((List<?>) three.get("rounds")).hasSize(3);
        assertThat(String.valueOf(three.get("goals"))).contains("measured=5.5, atLeast=5.0");
    }
}
