// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Runs the trials of experiments, several at a time. What it returns depends on seed and size only, not on the number of threads. */
public final class Runner {
    private final long seed;
    private final Size size;
    private final int threads;
    private final PrintWriter progress;
    private final LongSupplier nanoTime;

    /**
     * Makes one.
     *
     * @param progress where a line is written for each trial that has ended
     * @param nanoTime the clock by which the lines tell how long a trial took
     */
    public Runner(long seed, Size size, int threads, PrintWriter progress, LongSupplier nanoTime) {
        this.seed = seed;
        this.size = size;
        this.threads = threads;
        this.progress = progress;
        this.nanoTime = nanoTime;
    }

    /**
     * Runs experiments. One of which a trial throws is a {@linkplain Report.Failed failed} one; the others go on.
     *
     * @return their results, in the order of the experiments
     */
    public Report run(List<Experiment> experiments) {
        Map<String, Trial> trials = new LinkedHashMap<>();
        experiments.forEach(
                experiment -> experiment.trials(size).forEach(trial -> trials.putIfAbsent(trial.id(), trial)));
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            AtomicInteger ended = new AtomicInteger();
            Map<String, CompletableFuture<Measured>> running = new LinkedHashMap<>();
            trials.forEach((id, trial) ->
                    running.put(id, CompletableFuture.supplyAsync(() -> timed(trial, ended, trials.size()), executor)));
            List<Report.Entry> entries = new ArrayList<>();
            experiments.forEach(experiment -> entries.add(conclude(experiment, running)));
            return new Report(seed, size, entries);
        } finally {
            executor.shutdownNow();
        }
    }

    private Measured timed(Trial trial, AtomicInteger ended, int all) {
        long began = nanoTime.getAsLong();
        String outcome = "failed";
        try {
            Measured measured = trial.work().run(seed);
            outcome = "done";
            return measured;
        } finally {
            double seconds = (nanoTime.getAsLong() - began) / 1e9;
            progress.printf("[%d/%d] %s: %s in %.1f s%n", ended.incrementAndGet(), all, trial.id(), outcome, seconds);
            progress.flush();
        }
    }

    private Report.Entry conclude(Experiment experiment, Map<String, CompletableFuture<Measured>> running) {
        Map<String, Measured> measured = new LinkedHashMap<>();
        for (Trial trial : experiment.trials(size)) {
            try {
                measured.put(
                        trial.id(),
                        Objects.requireNonNull(running.get(trial.id())).join());
            } catch (CompletionException e) {
                return new Report.Failed(experiment.about(), trial.id() + ": " + e.getCause());
            }
        }
        return new Report.Done(experiment.about(), experiment.conclude(size, new Trials(measured)));
    }
}
