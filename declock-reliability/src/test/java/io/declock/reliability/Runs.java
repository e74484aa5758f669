// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.reliability.cluster.WorkerClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What several runs of one fault cost: a row of the table in docs/reliability.md. Not thread-safe. */
final class Runs {
    private final String fault;
    private final List<Duration> times = new ArrayList<>();
    private int holds;
    private int lost;

    Runs(String fault) {
        this.fault = fault;
    }

    /** Releases a hold that a worker had before the fault, and counts it. */
    void released(WorkerClient worker, String hold) {
        holds++;
        if (!"released".equals(worker.release(hold))) {
            lost++;
        }
    }

    /** Adds the time from the fault to the next grant. */
    void took(Duration time) {
        times.add(time);
    }

    int lost() {
        return lost;
    }

    Duration median() {
        return sorted().get(times.size() / 2);
    }

    Duration longest() {
        return Collections.max(times);
    }

    private List<Duration> sorted() {
        return times.stream().sorted().toList();
    }

    /** Prints the row. Grants to two at the same time are not counted: the referee ends the test at the first. */
    void print() {
        System.out.printf(
                Locale.ROOT,
                "figures | %s | %d | %d | %d | %s | %s |%n",
                fault,
                times.size(),
                holds,
                lost,
                millis(median()),
                millis(longest()));
    }

    private static String millis(Duration time) {
        double millis = time.toNanos() / 1e6;
        return String.format(Locale.ROOT, millis < 100 ? "%.1f ms" : "%.0f ms", millis);
    }
}
