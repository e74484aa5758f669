// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.evaluation.experiment.About;
import io.declock.evaluation.experiment.Assumption;
import io.declock.evaluation.experiment.Conclusions;
import io.declock.evaluation.experiment.Examples;
import io.declock.evaluation.experiment.Finding;
import io.declock.evaluation.experiment.Paper;
import io.declock.evaluation.experiment.Published;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Size;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** What stands on the page of the assumptions. */
class SensitivityPageTest {
    private static final Provenance PROVENANCE = new Provenance("2026-01-02", "abc", "a machine");

    private static Assumption assumption(String id) {
        return new Assumption(id, "that is " + id, List.of(Examples.experiment("e"), Examples.experiment("f")));
    }

    private static Report.Entry done(double... times) {
        List<Finding> findings = DoubleStream.of(times)
                .mapToObj(here -> new Finding("one over two", Published.times(4, "section 0"), here))
                .toList();
        About about = new About("e", "An example", Paper.DECLOCK, "figure 0", "Nothing is run.", List.of());
        return new Report.Done(about, new Conclusions(List.of(), findings));
    }

    private static String page(Report.Entry... entries) {
        return SensitivityPage.of(
                List.of(assumption("default"), assumption("slow"), assumption("fast")),
                new Report(7, new Size(0.5, false), List.of(entries)),
                PROVENANCE);
    }

    @Test
    void eachAssumptionHasItsRowInTheTableOfItsExperiment() {
        String page = page(done(0.5), done(4), done(2), done(4.1), done(4.5), done(1.1));
        assertThat(page)
                .contains("2026-01-02, commit abc, a machine")
                .contains("times multiplied by 0.5.")
                .contains("| `slow` | that is slow |");
        List<String> rows = page.lines()
                .filter(line -> line.startsWith("| ") && line.contains("×"))
                .toList();
        assertThat(rows)
                .containsExactly(
                        "| printed | 4 × |",
                        "| `default` | 0.5 × |",
                        "| `slow` | *2 ×* |",
                        "| `fast` | **4.5 ×** |",
                        "| printed | 4 × |",
                        "| `default` | **4 ×** |",
                        "| `slow` | **4.1 ×** |",
                        "| `fast` | *1.1 ×* |");
    }

    @Test
    void ofWhatTheDefaultDoesNotReachThePageSaysWhatDoes() {
        assertThat(page(done(0.5, 2, 4), done(), done(2, 3, 1), done(), done(4.5, 20, 1), done())
                        .lines()
                        .filter(line -> line.startsWith("* ")))
                .containsExactly(
                        "* one over two (4 ×; by default 0.5 ×): reached with `fast` (4.5 ×).",
                        "* one over two (4 ×; by default 2 ×): none reaches it; the nearest is `slow` (3 ×).");
    }

    @Test
    void anExperimentThatFailedIsNotPassedOver() {
        Report.Entry failed = new Report.Failed(
                new About("e", "An example", Paper.DECLOCK, "figure 0", "Nothing is run.", List.of()), "it broke");
        assertThatThrownBy(() -> page(done(1), done(1), done(1), failed, done(1), done(1)))
                .hasMessage("slow: it broke");
    }
}
