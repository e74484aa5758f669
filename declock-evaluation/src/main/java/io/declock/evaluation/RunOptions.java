// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import io.declock.evaluation.experiment.Assumption;
import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Runner;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.report.ReportFiles;
import io.declock.evaluation.report.SensitivityPage;
import io.declock.evaluation.report.TextPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Options of the commands that run experiments, and what these commands do. */
final class RunOptions {
    @Option(names = "--seed", defaultValue = "1", description = "Seed of every trial (${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--out", defaultValue = "evaluation", description = "Folder of the report (${DEFAULT-VALUE}).")
    private Path out;

    @Option(names = "--threads", defaultValue = "2", description = "Trials at a time (${DEFAULT-VALUE}).")
    private int threads;

    @Option(names = "--scale", defaultValue = "1", description = "Factor of all virtual times (${DEFAULT-VALUE}).")
    private double scale;

    /** Runs experiments, prints what they show, and writes the report; returns the exit code. */
    int run(List<Experiment> experiments, Size size, CommandLine command) {
        Report report = report(experiments, size, command);
        TextPage.print(report, command.getOut());
        try {
            ReportFiles.write(report, Environment.provenance(Clock.systemUTC()), out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        command.getErr().printf("The report is in %s.%n", out.resolve(ReportFiles.PAGE));
        command.getErr().flush();
        return report.entries().stream().allMatch(Report.Done.class::isInstance) ? 0 : 1;
    }

    /** Runs experiments under one assumption after the other, and writes a page; returns the exit code. */
    int vary(List<Assumption> assumptions, Size size, CommandLine command) {
        List<Experiment> all = assumptions.stream()
                .flatMap(assumption -> assumption.experiments().stream())
                .toList();
        String page =
                SensitivityPage.of(assumptions, report(all, size, command), Environment.provenance(Clock.systemUTC()));
        command.getOut().print(page);
        command.getOut().flush();
        try {
            Files.writeString(Files.createDirectories(out).resolve(SensitivityPage.FILE), page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return 0;
    }

    private Report report(List<Experiment> experiments, Size size, CommandLine command) {
        return new Runner(seed, size.times(scale), threads, command.getErr(), System::nanoTime).run(experiments);
    }
}
