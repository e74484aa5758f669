// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * What follows from the trials of an experiment.
 *
 * @param figures its figures
 * @param findings its values beside the published ones
 */
public record Conclusions(List<Figure> figures, List<Finding> findings) {
    /** Copies both. */
    public Conclusions {
        figures = List.copyOf(figures);
        findings = List.copyOf(findings);
    }
}
