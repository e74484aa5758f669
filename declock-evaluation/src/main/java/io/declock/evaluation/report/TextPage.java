// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Table;
import io.declock.evaluation.experiment.Verdict;
import java.io.PrintWriter;

/** Prints the findings of a report. */
public final class TextPage {
    private TextPage() {}

    /** Prints them. */
    public static void print(Report report, PrintWriter out) {
        for (Report.Entry entry : report.entries()) {
            out.printf(
                    "%n%s: %s (%s, %s)%n",
                    entry.about().id(),
                    entry.about().title(),
                    entry.about().paper().label(),
                    entry.about().where());
            if (entry instanceof Report.Done done) {
                print(done, out);
                done.conclusions().tables().forEach(table -> print(table, out));
            } else if (entry instanceof Report.Failed failed) {
                out.printf("  not run to its end: %s%n", failed.problem());
            }
        }
        out.printf("%n%s%n", Summaries.verdicts(report));
        out.flush();
    }

    private static void print(Table table, PrintWriter out) {
        out.printf("  %s:%n  %-40s", table.title(), "");
        table.columns().forEach(column -> out.printf("  %s", column));
        out.println();
        for (Table.Row row : table.rows()) {
            out.printf("  %-40s", row.name());
            for (int i = 0; i < table.columns().size(); i++) {
                out.printf(
                        "  %" + table.columns().get(i).length() + "s",
                        Numbers.text(row.values().get(i)));
            }
            out.println();
        }
    }

    private static void print(Report.Done done, PrintWriter out) {
        if (done.conclusions().findings().isEmpty()) {
            out.println("  The paper prints no value to compare with.");
            return;
        }
        out.printf("  %-72s %14s %14s %7s  %s%n", "", "paper", "here", "ratio", "verdict");
        for (Finding finding : done.conclusions().findings()) {
            out.printf(
                    "  %-72s %14s %14s %7s  %s%n",
                    finding.what(),
                    Summaries.value(finding.published().value(), finding),
                    Summaries.value(finding.here(), finding),
                    Numbers.text(finding.ratio()),
                    finding.verdict().label());
            if (finding.verdict() != Verdict.REACHED) {
                out.printf("    %s%n", Summaries.reason(finding));
            }
        }
    }
}
