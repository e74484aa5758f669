// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/** An experiment of a paper. Immutable: it only says what is to be run, and what follows from it. */
public interface Experiment {
    /** Returns what it is about. */
    About about();

    /** Returns its trials. */
    List<Trial> trials(Size size);

    /**
     * Concludes.
     *
     * @param size the size with which the trials were made
     * @param trials what they have measured
     */
    Conclusions conclude(Size size, Trials trials);
}
