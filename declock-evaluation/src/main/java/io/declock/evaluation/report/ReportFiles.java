// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import io.declock.evaluation.experiment.Figure;
import io.declock.evaluation.experiment.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the files of a report: the page, the page of the documentation, and each figure as SVG and PNG. */
public final class ReportFiles {
    /** The page. */
    public static final String PAGE = "report.html";

    /** The page of the documentation. */
    public static final String RESULTS = "results.md";

    /** Where the figures are. */
    public static final String FIGURES = "figures";

    private ReportFiles() {}

    /**
     * Writes them.
     *
     * @param folder where they go; it is made if it does not exist
     * @throws IOException if a file cannot be written
     */
    public static void write(Report report, Provenance provenance, Path folder) throws IOException {
        Path figures = Files.createDirectories(folder.resolve(FIGURES));
        Files.writeString(folder.resolve(PAGE), HtmlPage.of(report, provenance));
        Files.writeString(folder.resolve(RESULTS), MarkdownPage.of(report, provenance));
        for (Report.Entry entry : report.entries()) {
            if (entry instanceof Report.Done done) {
                for (Figure figure : done.conclusions().figures()) {
                    Files.writeString(figures.resolve(figure.id() + ".svg"), Pictures.svg(figure));
                    Files.write(figures.resolve(figure.id() + ".png"), Pictures.png(figure));
                }
            }
        }
    }
}
