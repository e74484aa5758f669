// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import io.declock.evaluation.experiment.Experiment;
import io.declock.evaluation.experiment.Report;
import io.declock.evaluation.experiment.Runner;
import io.declock.evaluation.experiment.Size;
import io.declock.evaluation.report.ReportFiles;
import io.declock.evaluation.report.TextPage;
import java.io.IOException;
import java.io.UncheckedIOException;
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
        Report report =
                new Runner(seed, size.times(scale), threads, command.getErr(), System::nanoTime).run(experiments);
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
}
