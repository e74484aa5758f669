// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.Assumption;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes, as a page of the documentation, what published values become if one assumption is made otherwise. */
public final class SensitivityPage {
    /** Name of its file. */
    public static final String FILE = "sensitivity.md";

    private final List<Assumption> assumptions;
    private final Report report;
    private final int experiments;
    private final StringBuilder text = new StringBuilder(1 << 14);

    private SensitivityPage(List<Assumption> assumptions, Report report) {
        this.assumptions = assumptions;
        this.report = report;
        this.experiments = assumptions.get(0).experiments().size();
    }

    /**
     * Returns the page.
     *
     * @param report the experiments of all assumptions, one assumption after the other, the default first
     */
    public static String of(List<Assumption> assumptions, Report report, Provenance provenance) {
        return new SensitivityPage(assumptions, report).page(provenance);
    }

    private String page(Provenance provenance) {
        text.append("# What the results depend on\n").append(provenance.line()).append("\n\n");
        text.append(Summaries.run(report, "those values of each sweep that decide"))
                .append(" One assumption at a time is made otherwise; those that the papers print are never changed.")
                .append(
                        " A value in **bold** is reached, one in *italics* has the paper's order or more than its size.\n\n");
        text.append("| assumption | what is assumed |\n| --- | --- |\n");
        assumptions.forEach(assumption -> text.append("| `")
                .append(assumption.id())
                .append("` | ")
                .append(assumption.what())
                .append(" |\n"));
        for (int i = 0; i < experiments; i++) {
            experiment(i);
        }
        return text.toString();
    }

    private void experiment(int number) {
        text.append("\n## ")
                .append(report.entries().get(number).about().title())
                .append(" (`")
                .append(report.entries().get(number).about().id())
                .append("`)\n");
        List<List<Finding>> rows = new ArrayList<>();
        for (int i = 0; i < assumptions.size(); i++) {
            rows.add(findings(i, number));
        }
        List<Finding> defaults = rows.get(0);
        text.append("\n| | ")
                .append(defaults.stream().map(Finding::what).collect(Collectors.joining(" | ")))
                .append(" |\n| --- |")
                .append(" ---: |".repeat(defaults.size()))
                .append("\n| printed | ")
                .append(defaults.stream()
                        .map(finding -> Summaries.value(finding.published().value(), finding))
                        .collect(Collectors.joining(" | ")))
                .append(" |\n");
        for (int i = 0; i < rows.size(); i++) {
            text.append("| `").append(assumptions.get(i).id()).append("` | ");
            text.append(rows.get(i).stream().map(SensitivityPage::marked).collect(Collectors.joining(" | ")))
                    .append(" |\n");
        }
        nearest(rows);
    }

    private List<Finding> findings(int assumption, int experiment) {
        Report.Entry entry = report.entries().get(assumption * experiments + experiment);
        if (entry instanceof Report.Done done) {
            Conclusions conclusions = done.conclusions();
            return conclusions.findings();
        }
        throw new IllegalStateException(assumptions.get(assumption).id() + ": " + ((Report.Failed) entry).problem());
    }

    private static String marked(Finding finding) {
        String value = Summaries.value(finding.here(), finding);
        return switch (finding.verdict()) {
            case REACHED -> "**" + value + "**";
            case MORE, ORDER -> "*" + value + "*";
            case DIFFERS -> value;
        };
    }

    /** Says of each value that is not reached by default which assumptions reach it, or come nearest. */
    private void nearest(List<List<Finding>> rows) {
        List<Finding> defaults = rows.get(0);
        text.append('\n');
        for (int column = 0; column < defaults.size(); column++) {
            Finding finding = defaults.get(column);
            if (finding.verdict() != Verdict.REACHED) {
                text.append("* ")
                        .append(finding.what())
                        .append(" (")
                        .append(Summaries.value(finding.published().value(), finding))
                        .append("; by default ")
                        .append(Summaries.value(finding.here(), finding))
                        .append("): ")
                        .append(nearest(rows, column))
                        .append(".\n");
            }
        }
    }

    private String nearest(List<List<Finding>> rows, int column) {
        List<String> reaching = new ArrayList<>();
        int best = 0;
        for (int i = 0; i < rows.size(); i++) {
            Finding finding = rows.get(i).get(column);
            if (finding.verdict() == Verdict.REACHED) {
                reaching.add(named(i, finding));
            }
            if (distance(finding) < distance(rows.get(best).get(column))) {
                best = i;
            }
        }
        return reaching.isEmpty()
                ? "none reaches it; the nearest is "
                        + named(best, rows.get(best).get(column))
                : "reached with " + String.join(", ", reaching);
    }

    private String named(int assumption, Finding finding) {
        return "`" + assumptions.get(assumption).id() + "` (" + Summaries.value(finding.here(), finding) + ")";
    }

    /** Returns how far a value is from the published one, as a factor that is at least one. */
    private static double distance(Finding finding) {
        double ratio = finding.ratio();
        return ratio > 0 && Double.isFinite(ratio) ? Math.max(ratio, 1 / ratio) : Double.MAX_VALUE;
    }
}
