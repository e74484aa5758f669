// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.Map;

/** What the trials of an experiment have measured, by their ids. Immutable. */
public final class Trials {
    private final Map<String, Measured> measured;

    /** Copies the values. */
    public Trials(Map<String, Measured> measured) {
        this.measured = Map.copyOf(measured);
    }

    /**
     * Returns what a trial has measured.
     *
     * @throws IllegalArgumentException if there was no such trial
     */
    public Measured of(String id) {
        Measured found = measured.get(id);
        if (found == null) {
            throw new IllegalArgumentException("no trial has the id " + id);
        }
        return found;
    }
}
