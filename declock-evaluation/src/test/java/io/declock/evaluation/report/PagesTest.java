// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Figure;
import io.declock.evaluation.experiment.Figure.Axis;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Published;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Series;
import io.declock.evaluation.experiment.Series.Point;
import io.declock.evaluation.experiment.Size;
import java.awt.Color;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.XYPlot;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What exactly stands in the pages and pictures. */
class PagesTest {
    private static final Provenance PROVENANCE = new Provenance("2026-01-02", "abc", "a machine");

    private static final Figure FIGURE = new Figure(
            "lines",
            "Lines",
            Axis.logarithmic("x"),
            Axis.linear("y"),
            List.of(
                    new Series("one", List.of(new Point(1, 10), new Point(2, 20))),
                    new Series("two", List.of(new Point(2, 30)))));

    private static final Report REPORT = new Report(
            7,
            new Size(0.5, true),
            List.of(
                    new Report.Done(
                            about("done"),
                            new Conclusions(
                                    List.of(FIGURE),
                                    List.of(new Finding("a | b & <c>", Published.times(4, "section 0"), 2)
                                            .because("It is \"so\".")))),
                    new Report.Failed(about("failed"), "it broke")));

    @BeforeAll
    static void paintWithoutAScreen() {
        System.setProperty("java.awt.headless", "true");
    }

    private static About about(String id) {
        return new About(
                id, "A title", Paper.SOUL, "figure 0", "Nothing is run.", List.of("Nothing is real.", "So it is."));
    }

    @Test
    void thePageHasEachFindingAndEachNumberInItsPlace() {
        String page = HtmlPage.of(REPORT, PROVENANCE);
        assertThat(page)
                .contains("<p class=\"provenance\">2026-01-02, commit abc, a machine</p>")
                .contains("<li><a href=\"#done\">")
                .contains("<p class=\"note\">Different from the paper: Nothing is real. So it is.</p>")
                .contains("<td>a | b &amp; &lt;c&gt;<br>")
                .contains("<td class=\"number\">4 ×</td><td class=\"number\">2 ×</td><td class=\"number\">0.5</td>")
                .contains("It is &quot;so&quot;.")
                .contains("<tr><td>1</td><td class=\"number\">10</td><td class=\"number\"></td></tr>")
                .contains("<tr><td>2</td><td class=\"number\">20</td><td class=\"number\">30</td></tr>");
    }

    @Test
    void thePageOfTheDocumentationEscapesWhatItsTablesNeed() {
        assertThat(MarkdownPage.of(REPORT, PROVENANCE))
                .contains("Different from the paper: Nothing is real. So it is.")
                .contains("| a \\| b & <c> | section 0 | 4 × | 2 × | 0.5 |");
    }

    @Test
    void bothPagesSayWhatWasRun() {
        String run = "Virtual time, seed 7, the ends and the middle of each sweep, times multiplied by 0.5.";
        assertThat(HtmlPage.of(REPORT, PROVENANCE)).contains(run);
        assertThat(MarkdownPage.of(REPORT, PROVENANCE)).contains(run);
    }

    @Test
    void whatIsPrintedSaysWhatIsPublishedWhatIsHereAndWhy() {
        StringWriter out = new StringWriter();
        TextPage.print(REPORT, new PrintWriter(out));
        assertThat(out.toString().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains("It is \"so\".", "not run to its end: it broke")
                .anySatisfy(line -> assertThat(line).startsWith("a | b & <c> 4 × 2 × 0.5"));
    }

    @Test
    void aChartHasThePointsOnTheirAxesAndEachLineInItsColour() {
        XYPlot plot = Charts.of(FIGURE, Color.BLACK).getXYPlot();
        assertThat(plot.getDomainAxis()).isInstanceOf(LogAxis.class);
        assertThat(plot.getRangeAxis()).isInstanceOf(NumberAxis.class);
        assertThat(plot.getDataset().getXValue(0, 1)).isEqualTo(2);
        assertThat(plot.getDataset().getYValue(0, 1)).isEqualTo(20);
        assertThat(plot.getRenderer().getSeriesPaint(0))
                .isNotEqualTo(plot.getRenderer().getSeriesPaint(1));
    }
}
