// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingTest {
    @ParameterizedTest
    @CsvSource({
        // A factor: larger than one is the order.
        "TIMES, 4.35, 4.35, REACHED",
        "TIMES, 4, 5, REACHED",
        "TIMES, 4, 5.01, MORE",
        // An order without a size.
        "LARGER, 1, 1.01, REACHED",
        "LARGER, 1, 9, REACHED",
        "LARGER, 1, 1, DIFFERS",
        "TIMES, 4.35, 3.48, REACHED",
        "TIMES, 4.35, 3.47, ORDER",
        "TIMES, 4.35, 1.01, ORDER",
        "TIMES, 4.35, 1, DIFFERS",
        "TIMES, 4.35, 0.5, DIFFERS",
        // A reduction: above zero is the order.
        "PERCENT_LESS, 98, 99, REACHED",
        "PERCENT_LESS, 40, 50, REACHED",
        "PERCENT_LESS, 40, 50.1, MORE",
        "PERCENT_LESS, 98, 78.4, REACHED",
        "PERCENT_LESS, 98, 78, ORDER",
        "PERCENT_LESS, 98, 0.1, ORDER",
        "PERCENT_LESS, 98, 0, DIFFERS",
        "PERCENT_LESS, 98, -4, DIFFERS",
        // Equality has no order.
        "EQUAL, 1, 1.1, REACHED",
        "EQUAL, 1, 0.9, REACHED",
        "EQUAL, 1, 1.11, DIFFERS",
        "EQUAL, 1, 0.89, DIFFERS",
        // A bound is kept or not.
        "AT_MOST, 1.1, 1.1, REACHED",
        "AT_MOST, 1.1, 0.2, REACHED",
        "AT_MOST, 1.1, 1.101, DIFFERS",
        // A size: within a fifth, within a factor of two, or neither.
        "SIZE, 100, 80, REACHED",
        "SIZE, 100, 125, REACHED",
        "SIZE, 100, 126, ORDER",
        "SIZE, 100, 79, ORDER",
        "SIZE, 100, 50, ORDER",
        "SIZE, 100, 200, ORDER",
        "SIZE, 100, 49, DIFFERS",
        "SIZE, 100, 201, DIFFERS",
        "SIZE, 100, NaN, DIFFERS",
        "TIMES, 4, Infinity, DIFFERS"
    })
    void isJudgedByItsClaim(Claim claim, double published, double here, Verdict verdict) {
        assertThat(new Finding("a value", new Published(published, "", claim, "a section"), here).verdict())
                .isEqualTo(verdict);
    }

    @Test
    void saysWhichShareOfThePublishedValueIsReached() {
        Finding finding = new Finding("a value", Published.times(4, "a section"), 3).because("a reason");
        assertThat(finding.ratio()).isEqualTo(0.75);
        assertThat(finding.reason()).isEqualTo("a reason");
    }
}
