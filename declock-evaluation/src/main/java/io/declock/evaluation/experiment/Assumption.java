// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * What is assumed, and what is run under that.
 *
 * @param id name of the assumption
 * @param what what is assumed
 * @param experiments the experiments: the same ones in the same order under each assumption
 */
public record Assumption(String id, String what, List<Experiment> experiments) {
    /** Copies the experiments. */
    public Assumption {
        experiments = List.copyOf(experiments);
    }
}
