// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Figure;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Series;
import io.declock.evaluation.experiment.Table;
import io.declock.evaluation.experiment.Verdict;
import java.util.List;
import java.util.stream.Collectors;

/** Writes a report as one page that needs no other file. It follows the reader's choice of light or dark. */
public final class HtmlPage {
    private static final String STYLE = """
            :root { color-scheme: light dark; }
            body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
            table { border-collapse: collapse; margin: .8rem 0; display: block; overflow-x: auto; }
            th, td { padding: .25rem .7rem; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
            td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
            svg { width: 100%; height: auto; }
            figure { margin: 1rem 0; }
            .reached { color: light-dark(#146c2e, #7fd89a); }
            .more { color: light-dark(#1a4f9c, #9cc2ff); }
            .order { color: light-dark(#8a5300, #f0b95b); }
            .differs { color: light-dark(#a3171f, #ff9a9a); font-weight: 600; }
            .note { opacity: .8; }
            """;

    private final StringBuilder html = new StringBuilder(1 << 16);

    private HtmlPage() {}

    /** Returns the page. */
    public static String of(Report report, Provenance provenance) {
        return new HtmlPage().page(report, provenance);
    }

    private String page(Report report, Provenance provenance) {
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>DecLock: the papers' experiments</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>The papers' experiments</h1>\n");
        paragraph(provenance.line(), "provenance");
        paragraph(Summaries.run(report), "note");
        paragraph(Summaries.verdicts(report), "");
        html.append("<ul>\n");
        for (Report.Entry entry : report.entries()) {
            html.append("<li><a href=\"#")
                    .append(entry.about().id())
                    .append("\">")
                    .append(escape(heading(entry.about())))
                    .append("</a></li>\n");
        }
        html.append("</ul>\n");
        report.entries().forEach(this::entry);
        return html.append("</body>\n</html>\n").toString();
    }

    private static String heading(About about) {
        return about.paper().label() + ": " + about.title();
    }

    private void entry(Report.Entry entry) {
        About about = entry.about();
        html.append("<section id=\"")
                .append(about.id())
                .append("\">\n<h2>")
                .append(escape(heading(about)))
                .append("</h2>\n");
        paragraph(about.paper().title() + ", " + about.where() + ". " + about.setting(), "");
        if (!about.differences().isEmpty()) {
            paragraph("Different from the paper: " + String.join(" ", about.differences()), "note");
        }
        if (entry instanceof Report.Done done) {
            findings(done.conclusions().findings());
            done.conclusions().tables().forEach(this::table);
            done.conclusions().figures().forEach(this::figure);
        } else if (entry instanceof Report.Failed failed) {
            paragraph("Not run to its end: " + failed.problem(), "differs");
        }
        html.append("</section>\n");
    }

    private void findings(List<Finding> findings) {
        if (findings.isEmpty()) {
            return;
        }
        html.append("<table>\n<tr><th>what</th><th>paper</th><th>here</th><th>ratio</th><th>verdict</th></tr>\n");
        for (Finding finding : findings) {
            html.append("<tr><td>").append(escape(finding.what()));
            html.append("<br><span class=\"note\">")
                    .append(escape(finding.published().where()))
                    .append("</span></td>");
            number(Summaries.value(finding.published().value(), finding));
            number(Summaries.value(finding.here(), finding));
            number(Numbers.text(finding.ratio()));
            html.append("<td><span class=\"")
                    .append(finding.verdict().name().toLowerCase(java.util.Locale.ROOT))
                    .append("\">")
                    .append(escape(finding.verdict().label()))
                    .append("</span>");
            if (finding.verdict() != Verdict.REACHED) {
                html.append("<br>").append(escape(Summaries.reason(finding)));
            }
            html.append("</td></tr>\n");
        }
        html.append("</table>\n");
    }

    private void table(Table table) {
        html.append("<table>\n<tr><th>").append(escape(table.title())).append("</th>");
        table.columns()
                .forEach(column -> html.append("<th>").append(escape(column)).append("</th>"));
        html.append("</tr>\n");
        for (Table.Row row : table.rows()) {
            html.append("<tr><td>").append(escape(row.name())).append("</td>");
            row.values().forEach(value -> number(Numbers.text(value)));
            html.append("</tr>\n");
        }
        html.append("</table>\n");
    }

    private void number(String text) {
        html.append("<td class=\"number\">").append(escape(text)).append("</td>");
    }

    private void figure(Figure figure) {
        html.append("<figure>\n").append(Pictures.svg(figure)).append("</figure>\n");
        html.append("<details><summary>The numbers of this figure</summary>\n<table>\n<tr><th>")
                .append(escape(figure.x().label()))
                .append("</th>");
        figure.series()
                .forEach(series ->
                        html.append("<th>").append(escape(series.name())).append("</th>"));
        html.append("</tr>\n");
        List<Double> rows = figure.series().stream()
                .flatMap(series -> series.points().stream())
                .map(Series.Point::x)
                .distinct()
                .sorted()
                .collect(Collectors.toList());
        for (double x : rows) {
            html.append("<tr><td>")
                    .append(escape(
                            figure.x().names().isEmpty()
                                    ? Numbers.text(x)
                                    : figure.x().names().get((int) x)))
                    .append("</td>");
            figure.series()
                    .forEach(series -> number(series.points().stream()
                            .filter(point -> point.x() == x)
                            .findFirst()
                            .map(point -> Numbers.text(point.y()))
                            .orElse("")));
            html.append("</tr>\n");
        }
        html.append("</table></details>\n");
    }

    private void paragraph(String text, String style) {
        html.append("<p");
        if (!style.isEmpty()) {
            html.append(" class=\"").append(style).append('"');
        }
        html.append('>').append(escape(text)).append("</p>\n");
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
