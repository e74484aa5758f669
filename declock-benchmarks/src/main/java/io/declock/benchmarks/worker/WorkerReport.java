// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import io.declock.benchmarks.report.Json;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The measurements of one worker process, and their text form: lines that begin with {@value #LINE}.
 *
 * @param cycles lock and unlock cycles of each thread within the measured window, without the writer's
 * @param readWaits nanoseconds from the request to the grant, read mode
 * @param writeWaits nanoseconds from the request to the grant, write mode
 * @param singleWaits those of them that are told apart: the first of each turn, or the writer's
 * @param writesEver number of write locks acquired in the whole run, warm-up included
 * @param errors number of failed cycles
 * @param firstError the first error, or empty
 * @param counters the product's counters within the measured window
 */
public record WorkerReport(
        List<Long> cycles,
        Histogram readWaits,
        Histogram writeWaits,
        Histogram singleWaits,
        long writesEver,
        long errors,
        String firstError,
        Map<String, Long> counters) {
    /** Beginning of a line of the report. */
    public static final String LINE = "REPORT ";

    /** Returns it as one line. */
    public String toLine() {
        return LINE + Json.line(this);
    }

    /** Reads a line of {@link #toLine}, without its beginning. */
    public static WorkerReport parse(String line) {
        return Json.read(line, WorkerReport.class);
    }
}
