// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.laboratory.program;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Takes the time of an operation, when the JVM has compiled all of it: an emulated processor takes half a minute for that, and until then
 * the compilers compete with what is measured. Not thread-safe.
 */
final class Stopwatch {
    private static final int BATCH = 8000;
    /** So many batches in a row without a word from the compilers. */
    private static final int QUIET_BATCHES = 3;

    private static final long QUIET_MILLIS = 60;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** How many operations run before a measurement, so that the caches are as the operation leaves them. */
    private static final int LEAD = 300;
    /** How many operations are measured by one call: few, so that warming up calls often enough for the JVM to compile the measuring. */
    private static final int STRETCH = 100;

    private final CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    private final Operation operation;
    private final Operation after;
    private final Rounds alone = new Rounds();
    private final Rounds cycle = new Rounds();
    private int batch = BATCH;

    /** The operation that is measured. */
    @FunctionalInterface
    interface Operation {
        void run() throws Exception;
    }

    Stopwatch(Operation operation) {
        this(operation, () -> {});
    }

    /**
     * Makes one for an operation.
     *
     * @param after undoes it, and counts for the cycle only
     */
    Stopwatch(Operation operation, Operation after) {
        this.operation = operation;
        this.after = after;
    }

    /** Has smaller batches for an operation that takes much longer. */
    Stopwatch slow(int factor) {
        batch = BATCH / factor;
        return this;
    }

    /** Repeats the operation until the compilers are done with it; returns false if they were not in time. */
    boolean warmUp() throws Exception {
        long began = System.nanoTime();
        int quiet = 0;
        while (quiet < QUIET_BATCHES && System.nanoTime() - began < PATIENCE.toNanos()) {
            long before = compilers.getTotalCompilationTime();
            measure(batch, 0);
            quiet = compilers.getTotalCompilationTime() - before < QUIET_MILLIS ? quiet + 1 : 0;
        }
        return quiet == QUIET_BATCHES;
    }

    /** Measures one round, with a pause after each operation. */
    void round(int count, long pauseNanos) throws Exception {
        measure(LEAD, pauseNanos);
        double[] medians = measure(count, pauseNanos);
        alone.add(medians[0]);
        cycle.add(medians[1]);
    }

    private double[] measure(int count, long pauseNanos) throws Exception {
        long[] operations = new long[count];
        long[] cycles = new long[count];
        for (int i = 0; i < count; i += STRETCH) {
            stretch(operations, cycles, i, Math.min(count, i + STRETCH), pauseNanos);
        }
        return new double[] {median(operations), median(cycles)};
    }

    private void stretch(long[] operations, long[] cycles, int from, int to, long pauseNanos) throws Exception {
        for (int i = from; i < to; i++) {
            long start = System.nanoTime();
            operation.run();
            operations[i] = System.nanoTime() - start;
            after.run();
            long end = System.nanoTime();
            cycles[i] = end - start;
            while (System.nanoTime() - end < pauseNanos) {
                Thread.onSpinWait();
            }
        }
    }

    private static double median(long[] nanos) {
        Arrays.sort(nanos);
        return nanos[nanos.length / 2] / 1000.0;
    }

    /** Returns what the operation took. */
    Rounds alone() {
        return alone;
    }

    /** Returns what the operation and what undoes it took together. */
    Rounds cycle() {
        return cycle;
    }

    /** The p50 of each round, in microseconds: a host that others use as well is slower at one time than at another. */
    static final class Rounds {
        private final List<Double> p50s = new ArrayList<>();

        void add(double micros) {
            p50s.add(micros);
        }

        /** Returns the p50 of the last round. */
        double last() {
            return p50s.getLast();
        }

        /** Returns the p50 of the round that was in the middle. */
        double typical() {
            return middle(p50s);
        }

        /**
         * Returns the ratio to another one's p50 in the same round, of the round where that ratio was in the middle; of something
         * measured in other rounds, the ratio of the middles.
         */
        double typicalRatio(Rounds other) {
            if (p50s.size() != other.p50s.size()) {
                return typical() / other.typical();
            }
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < p50s.size(); i++) {
                ratios.add(p50s.get(i) / other.p50s.get(i));
            }
            return middle(ratios);
        }

        private static double middle(List<Double> values) {
            return values.stream().sorted().toList().get(values.size() / 2);
        }

        /** Returns the highest, which others disturbed most. */
        double highest() {
            return Collections.max(p50s);
        }

        /** Returns how many times the fastest of the middle 80 % of rounds the slowest of them took. */
        double spread() {
            List<Double> sorted = p50s.stream().sorted().toList();
            int outside = sorted.size() / 10;
            return sorted.get(sorted.size() - 1 - outside) / sorted.get(outside);
        }

        /** Returns the lowest, which others disturbed least. */
        double lowest() {
            return Collections.min(p50s);
        }
    }
}
