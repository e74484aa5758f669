// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Verdict;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Sentences and cells that the pages have in common. */
final class Summaries {
    private Summaries() {}

    /** Returns what was run. */
    static String run(Report report) {
        return run(report, report.size().thin() ? "the ends and the middle of each sweep" : "all values of each sweep");
    }

    /** Returns what was run, with words for the values of the sweeps. */
    static String run(Report report, String values) {
        return "Virtual time, seed " + report.seed() + ", " + values + ", times multiplied by "
                + Numbers.text(report.size().time()) + ".";
    }

    /** Returns how many values have which verdict. */
    static String verdicts(Report report) {
        String counts = Arrays.stream(Verdict.values())
                .map(verdict -> verdict.label() + ": "
                        + report.findings().stream()
                                .filter(finding -> finding.verdict() == verdict)
                                .count())
                .collect(Collectors.joining("; "));
        return "Of " + report.findings().size() + " published values " + counts + ".";
    }

    /** Returns a value with the unit of the published one. */
    static String value(double value, Finding finding) {
        String unit = finding.published().unit();
        return Numbers.text(value) + (unit.isEmpty() || unit.startsWith("%") ? unit : " " + unit);
    }

    /** Returns why a value is different. */
    static String reason(Finding finding) {
        String reason = finding.reason();
        return reason == null ? "The reason is not known." : reason;
    }
}
