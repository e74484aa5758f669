// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.papers;

import io.declock.evaluation.experiment.Experiment;
import java.util.List;

/** All experiments. */
public final class Experiments {
    private Experiments() {}

    /** Returns them in the order of the report. */
    public static List<Experiment> all() {
        return List.of(new LocalMajority());
    }
}
