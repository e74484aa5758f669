// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * What experiments have shown. It has nothing in it that differs from run to run.
 *
 * @param seed the seed of all trials
 * @param size the size of the experiments
 * @param entries an entry for each experiment
 */
public record Report(long seed, Size size, List<Entry> entries) {
    /** Copies the entries. */
    public Report {
        entries = List.copyOf(entries);
    }

    /** What an experiment has shown. */
    public sealed interface Entry {
        /** Returns what the experiment is about. */
        About about();
    }

    /**
     * An experiment of which all trials have ended.
     *
     * @param about what it is about
     * @param conclusions what follows
     */
    public record Done(About about, Conclusions conclusions) implements Entry {}

    /**
     * An experiment of which a trial has thrown.
     *
     * @param about what it is about
     * @param problem what was thrown
     */
    public record Failed(About about, String problem) implements Entry {}

    /** Returns the findings of all experiments. */
    public List<Finding> findings() {
        return entries.stream()
                .filter(Done.class::isInstance)
                .flatMap(entry -> ((Done) entry).conclusions().findings().stream())
                .toList();
    }
}
