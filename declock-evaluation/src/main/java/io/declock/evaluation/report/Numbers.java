// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import java.util.Locale;

/** Numbers in the report: four significant digits at most, never an exponent. */
final class Numbers {
    private Numbers() {}

    static String text(double value) {
        if (!Double.isFinite(value)) {
            return "none";
        }
        double size = Math.abs(value);
        int decimals = size >= 1_000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.001 ? 4 : 6;
        String text = String.format(Locale.ROOT, "%,." + decimals + "f", value);
        return decimals == 0 ? text : text.replaceFirst("\\.?0+$", "");
    }
}
