// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.scenario;

import io.declock.benchmarks.harness.RunResult;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The ratio of one number between two runs of the same scenario. */
final class Ratios {
    private Ratios() {}

    /** Returns the ratio, or null if one of them did not run. */
    static @Nullable Double of(@Nullable RunResult one, @Nullable RunResult other, ToDoubleFunction<RunResult> number) {
        if (one == null || other == null) {
            return null;
        }
        double below = number.applyAsDouble(other);
        return below == 0 ? null : number.applyAsDouble(one) / below;
    }

    /** Returns a run's name in the text of a goal. */
    static String name(@Nullable RunResult result) {
        return result == null ? "(none ran)" : result.label();
    }
}
