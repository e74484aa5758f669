// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.evaluation.experiment.Examples;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.papers.Experiments;
import io.declock.evaluation.report.ReportFiles;
import io.declock.evaluation.report.SensitivityPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class EvaluationCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @BeforeAll
    static void paintWithoutAScreen() {
        System.setProperty("java.awt.headless", "true");
    }

    private int execute(String... arguments) {
        CommandLine command = EvaluationCommand.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    @Test
    void listPrintsEachExperimentOnce() {
        assertThat(execute("list")).isZero();
        assertThat(out.toString().lines().map(line -> line.split(" ")[0]))
                .doesNotHaveDuplicates()
                .containsExactlyElementsOf(Experiments.all().stream()
                        .map(Experiment::about)
                        .map(about -> about.id())
                        .toList());
    }

    @Test
    void runWritesTheReportAndTellsWhereItIs() {
        Path report = folder.resolve("report");
        assertThat(execute("run", "alock-local-majority", "--thin", "--scale", "0.01", "--out", report.toString()))
                .isZero();
        assertThat(out.toString()).contains("alock-local-majority");
        assertThat(err.toString()).contains("[9/9]").contains("The report is in " + report.resolve(ReportFiles.PAGE));
        assertThat(report.resolve(ReportFiles.PAGE))
                .content()
                .contains("Local clients")
                .contains("<svg");
        assertThat(report.resolve(ReportFiles.RESULTS)).content().contains("# Results of the evaluation");
        assertThat(report.resolve(ReportFiles.FIGURES).resolve("alock-throughput.png"))
                .exists();
    }

    @Test
    void anExperimentThatDoesNotExistIsAnError() {
        assertThat(execute("run", "declock-figure-99")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("There is no experiment declock-figure-99");
        assertThat(execute("run")).isEqualTo(CommandLine.ExitCode.USAGE);
    }

    @Test
    void seedAndScaleAreThoseOfTheReport() {
        String report = folder.resolve("report").toString();
        assertThat(execute("run", "soul-lock-and-data", "--thin", "--seed", "3", "--scale", "0.01", "--out", report))
                .isZero();
        assertThat(folder.resolve("report").resolve(ReportFiles.RESULTS))
                .content()
                .contains("seed 3")
                .contains("times multiplied by 0.01.");
    }

    @Test
    void anExperimentThatFailsIsNoGoodEnd() {
        RunOptions options = CommandLine.populateCommand(
                new RunOptions(), "--out", folder.resolve("report").toString());
        CommandLine command = EvaluationCommand.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        assertThat(options.run(List.of(Examples.experiment("good")), Size.FULL, command))
                .isZero();
        assertThat(options.run(List.of(Examples.failing("bad")), Size.FULL, command))
                .isOne();
        RunOptions withoutThreads = CommandLine.populateCommand(new RunOptions(), "--threads", "0");
        assertThatThrownBy(() -> withoutThreads.run(List.of(), Size.FULL, command))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theSameSeedHasTheSamePageOfAssumptions() {
        String first = sensitivity("2");
        assertThat(first)
                .contains("| `default` |", "| `processor-500` |", "## Number of clients")
                .doesNotContain("`processor-1000`");
        assertThat(sensitivity("1")).isEqualTo(first);
    }

    /** Returns the page without the line that differs from run to run. */
    private String sensitivity(String threads) {
        Path report = folder.resolve("threads-" + threads);
        String to = report.toString();
        assertThat(execute(
                        "sensitivity",
                        "--only",
                        "processor-500",
                        "--thin",
                        "--scale",
                        "0.01",
                        "--threads",
                        threads,
                        "--out",
                        to))
                .isZero();
        try {
            return Files.readAllLines(report.resolve(SensitivityPage.FILE)).stream()
                    .skip(2)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anAssumptionThatDoesNotExistIsAnError() {
        assertThat(execute("sensitivity", "--only", "no-such")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("There is no assumption no-such");
    }

    @Test
    void withoutACommandTheUsageIsShown() {
        assertThat(execute()).isZero();
        assertThat(out.toString())
                .contains("list")
                .contains("run")
                .contains("smoke")
                .contains("full")
                .contains("sensitivity");
    }
}
