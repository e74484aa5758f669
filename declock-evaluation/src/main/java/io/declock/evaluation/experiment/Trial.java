// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

/**
 * One run of an experiment, with one setting.
 *
 * @param id names the setting completely: trials with the same id are run once, also those of several experiments
 * @param work what is run
 */
public record Trial(String id, Work work) {
    /** What is run. The same seed gives the same values, on each machine. */
    @FunctionalInterface
    public interface Work {
        /** Runs. */
        Measured run(long seed);
    }
}
