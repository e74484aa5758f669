// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.harness;

import io.declock.benchmarks.peer.Peer;
import io.declock.benchmarks.worker.WorkerReport;
import io.declock.benchmarks.worker.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of one run.
 *
 * @param peer the lock under load
 * @param variant variant of it, or empty
 * @param workload the load
 * @param window length of the measured window
 * @param cpu CPU time of clients and server together within the window
 * @param cycles lock and unlock cycles of each worker thread, without the writer's
 * @param readWaits nanoseconds from the request to the grant, read mode
 * @param writeWaits nanoseconds from the request to the grant, write mode
 * @param singleWaits those of them that are told apart: the first of each turn, or the writer's
 * @param writesExpected number of write locks acquired in the whole run
 * @param writesSeen sum of the counters under the locks
 * @param errors number of failed cycles
 * @param firstError the first error, or empty
 * @param counters the product's counters within the window, of all processes together
 */
public record RunResult(
        Peer peer,
        String variant,
        Workload workload,
        Duration window,
        Duration cpu,
        List<Long> cycles,
        Histogram readWaits,
        Histogram writeWaits,
        Histogram singleWaits,
        long writesExpected,
        long writesSeen,
        long errors,
        String firstError,
        Map<String, Long> counters) {

    static RunResult of(
            Peer peer, Workload workload, Duration window, Duration cpu, List<WorkerReport> reports, long writesSeen) {
        List<Long> cycles = new ArrayList<>();
        Histogram reads = new Histogram(reports.get(0).readWaits());
        Histogram writes = new Histogram(reports.get(0).writeWaits());
        Histogram singles = new Histogram(reports.get(0).singleWaits());
        reads.reset();
        writes.reset();
        singles.reset();
        Map<String, Long> counters = new LinkedHashMap<>();
        long writesExpected = 0;
        long errors = 0;
        String firstError = "";
        for (WorkerReport report : reports) {
            cycles.addAll(report.cycles());
            reads.add(report.readWaits());
            writes.add(report.writeWaits());
            singles.add(report.singleWaits());
            writesExpected += report.writesEver();
            errors += report.errors();
            firstError = firstError.isEmpty() ? report.firstError() : firstError;
            report.counters().forEach((key, value) -> counters.merge(key, value, Long::sum));
        }
        return new RunResult(
                peer,
                "",
                workload,
                window,
                cpu,
                cycles,
                reads,
                writes,
                singles,
                writesExpected,
                writesSeen,
                errors,
                firstError,
                counters);
    }

    /** Returns the same under a variant's name. */
    public RunResult named(String name) {
        return new RunResult(
                peer,
                name,
                workload,
                window,
                cpu,
                cycles,
                readWaits,
                writeWaits,
                singleWaits,
                writesExpected,
                writesSeen,
                errors,
                firstError,
                counters);
    }

    /** Returns its name in tables. */
    public String label() {
        return variant.isEmpty() ? peer.label() : peer.label() + " " + variant;
    }

    /** Returns the number of cycles. */
    public long total() {
        return cycles.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns cycles per second. */
    public double perSecond() {
        return total() / (window.toNanos() / 1e9);
    }

    /** Returns the wait times of both modes. */
    public Histogram waits() {
        Histogram both = readWaits.copy();
        both.add(writeWaits);
        return both;
    }

    /** Returns a percentile of the wait times in microseconds. */
    public double waitMicros(double percentile) {
        Histogram waits = waits();
        return waits.getTotalCount() == 0 ? 0 : waits.getValueAtPercentile(percentile) / 1000.0;
    }

    /** Returns a percentile of the waits that are told apart, in milliseconds; 0 if there are none. */
    public double singleWaitMillis(double percentile) {
        return singleWaits.getTotalCount() == 0 ? 0 : singleWaits.getValueAtPercentile(percentile) / 1e6;
    }

    /**
     * Returns how many remote operations (posted chains) DecLock's compute nodes had for each cycle. The READ behind the FAA of a release
     * travels in its chain. The writer's operations are among them, and its cycles are not.
     */
    public double remoteOperationsPerCycle() {
        double chains = countersFrom("verb.") - counter("verb.release.read") - counter("verb.requeue.read");
        return total() == 0 ? 0 : chains / total();
    }

    /** Returns CPU microseconds per cycle, clients and server together. */
    public double cpuMicrosPerCycle() {
        return total() == 0 ? 0 : cpu.toNanos() / 1000.0 / total();
    }

    /** Returns how many cores were busy on average. */
    public double coresBusy() {
        return (double) cpu.toNanos() / window.toNanos();
    }

    /** Returns Jain's index over the worker threads: 1 if all made the same number of cycles, 1/n if one made all of them. */
    public double jain() {
        double sum = 0;
        double squares = 0;
        for (long count : cycles) {
            sum += count;
            squares += (double) count * count;
        }
        return squares == 0 ? 0 : sum * sum / (cycles.size() * squares);
    }

    /** Returns whether two writers were never seen at once. */
    public boolean excludes() {
        return writesExpected == writesSeen;
    }

    /** Returns a counter, 0 if there is none of that name. */
    public long counter(String name) {
        return counters.getOrDefault(name, 0L);
    }

    /** Returns the sum of all counters whose name begins with a prefix. */
    public long countersFrom(String prefix) {
        return counters.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
