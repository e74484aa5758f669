// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Runner;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.papers.Experiments;
import io.declock.evaluation.report.HtmlPage;
import io.declock.evaluation.report.Provenance;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SmokeTest {
    private static final Provenance PROVENANCE = new Provenance("2026-01-02", "abc", "a machine");

    @BeforeAll
    static void paintWithoutAScreen() {
        System.setProperty("java.awt.headless", "true");
    }

    private static Report run(int threads, Size size, List<Experiment> experiments) {
        return new Runner(1, size, threads, new PrintWriter(new StringWriter()), () -> 0).run(experiments);
    }

    @Test
    void eachExperimentRunsToItsEnd() {
        Report report = run(2, Size.SMOKE.times(0.2), Experiments.all());
        assertThat(report.entries()).allSatisfy(entry -> assertThat(entry).isInstanceOf(Report.Done.class));
        assertThat(HtmlPage.of(report, PROVENANCE)).contains("</html>");
    }

    @Test
    void theSameSeedGivesTheSameReportWithOneThreadAndWithTwo() {
        List<Experiment> some = Experiments.all().stream()
                .filter(experiment -> List.of("declock-figure-12b", "shiftlock-figure-10-tatp", "alock-local-majority")
                        .contains(experiment.about().id()))
                .toList();
        assertThat(some).hasSize(3);
        Size size = Size.SMOKE.times(0.1);
        String one = HtmlPage.of(run(1, size, some), PROVENANCE);
        assertThat(HtmlPage.of(run(2, size, some), PROVENANCE)).isEqualTo(one);
    }
}
