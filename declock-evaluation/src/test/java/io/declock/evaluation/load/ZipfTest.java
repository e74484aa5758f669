// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZipfTest {
    private static final int DRAWS = 400_000;

    private final SplittableRandom random = new SplittableRandom(7);
    private final Chance chance = random::nextLong;

    /** With 20 numbers chi-square has 19 degrees of freedom: it is above 43.8 once in a thousand times. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.5, 0.9, 0.99, 0.999, 1, 1.3})
    void drawsByTheLaw(double exponent) {
        int count = 20;
        Zipf zipf = new Zipf(count, exponent);
        long[] drawn = new long[count];
        for (int i = 0; i < DRAWS; i++) {
            drawn[zipf.next(chance)]++;
        }
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Math.pow(i + 1.0, -exponent);
        }
        double chiSquare = 0;
        for (int i = 0; i < count; i++) {
            double expected = DRAWS * Math.pow(i + 1.0, -exponent) / sum;
            chiSquare += (drawn[i] - expected) * (drawn[i] - expected) / expected;
        }
        assertThat(chiSquare).isLessThan(43.8);
    }

    @Test
    void tenMillionNumbersHaveTheSharesOfTheLaw() {
        int count = 10_000_000;
        Zipf zipf = new Zipf(count, 0.99);
        double sum = 0;
        for (int i = 1; i <= count; i++) {
            sum += Math.pow(i, -0.99);
        }
        int first = 0;
        int upperHalf = 0;
        for (int i = 0; i < DRAWS; i++) {
            int drawn = zipf.next(chance);
            assertThat(drawn).isBetween(0, count - 1);
            first += drawn == 0 ? 1 : 0;
            upperHalf += drawn >= count / 2 ? 1 : 0;
        }
        assertThat((double) first / DRAWS).isBetween(0.95 / sum, 1.05 / sum);
        double half = 0;
        for (int i = count / 2 + 1; i <= count; i++) {
            half += Math.pow(i, -0.99);
        }
        assertThat((double) upperHalf / DRAWS).isBetween(0.95 * half / sum, 1.05 * half / sum);
    }

    @Test
    void oneNumberIsDrawnAlways() {
        assertThat(new Zipf(1, 0.99).next(chance)).isZero();
        assertThat(new Zipf(1, 0).next(chance)).isZero();
    }

    @Test
    void refusesNoNumbersAndANegativeExponent() {
        assertThatThrownBy(() -> new Zipf(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Zipf(1, -1)).isInstanceOf(IllegalArgumentException.class);
    }
}
