// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Table;
import io.declock.evaluation.experiment.Verdict;

/** Writes the findings of a report as a page of the documentation. */
public final class MarkdownPage {
    private final StringBuilder text = new StringBuilder(1 << 14);

    private MarkdownPage() {}

    /** Returns the page. */
    public static String of(Report report, Provenance provenance) {
        return new MarkdownPage().page(report, provenance);
    }

    private String page(Report report, Provenance provenance) {
        text.append("# Results of the evaluation\n");
        text.append(provenance.line()).append("\n\n");
        text.append(Summaries.run(report))
                .append(' ')
                .append(Summaries.verdicts(report))
                .append('\n');
        report.entries().forEach(this::entry);
        return text.toString();
    }

    private void entry(Report.Entry entry) {
        About about = entry.about();
        text.append("\n## ")
                .append(about.paper().label())
                .append(": ")
                .append(about.title())
                .append('\n');
        text.append(about.where())
                .append(" (`")
                .append(about.id())
                .append("`). ")
                .append(about.setting())
                .append('\n');
        if (!about.differences().isEmpty()) {
            text.append("\nDifferent from the paper: ")
                    .append(String.join(" ", about.differences()))
                    .append('\n');
        }
        if (entry instanceof Report.Done done) {
            table(done);
            done.conclusions().tables().forEach(this::table);
        } else if (entry instanceof Report.Failed failed) {
            text.append("\n**Not run to its end**: ").append(failed.problem()).append('\n');
        }
    }

    private void table(Report.Done done) {
        if (done.conclusions().findings().isEmpty()) {
            text.append("\nThe paper prints no value to compare with.\n");
            return;
        }
        text.append(
                "\n| what | printed in | paper | here | ratio | verdict |\n| --- | --- | ---: | ---: | ---: | --- |\n");
        for (Finding finding : done.conclusions().findings()) {
            cell(finding.what());
            cell(finding.published().where());
            cell(Summaries.value(finding.published().value(), finding));
            cell(Summaries.value(finding.here(), finding));
            cell(Numbers.text(finding.ratio()));
            String verdict = finding.verdict().label();
            cell(finding.verdict() == Verdict.REACHED ? verdict : verdict + ". " + Summaries.reason(finding));
            text.append("|\n");
        }
    }

    private void table(Table table) {
        text.append('\n').append(table.title()).append(":\n\n| ");
        table.columns().forEach(column -> text.append("| ").append(column).append(' '));
        text.append("|\n| --- ")
                .append("| ---: ".repeat(table.columns().size()))
                .append("|\n");
        for (Table.Row row : table.rows()) {
            cell(row.name());
            row.values().forEach(value -> cell(Numbers.text(value)));
            text.append("|\n");
        }
    }

    private void cell(String content) {
        text.append("| ").append(content.replace("|", "\\|")).append(' ');
    }
}
