// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * What follows from the trials of an experiment.
 *
 * @param figures its figures
 * @param findings its values beside the published ones
 * @param tables its values for which there are no published ones
 */
public record Conclusions(List<Figure> figures, List<Finding> findings, List<Table> tables) {
    /** Makes them without tables. */
    public Conclusions(List<Figure> figures, List<Finding> findings) {
        this(figures, findings, List.of());
    }

    /** Copies all. */
    public Conclusions {
        tables = List.copyOf(tables);
        figures = List.copyOf(figures);
        findings = List.copyOf(findings);
    }
}
