// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

import java.util.List;

/**
 * What an experiment is about.
 *
 * @param id how it is called on the command line
 * @param title its heading in the report
 * @param paper whose experiment it is
 * @param where section and figure of the paper
 * @param setting what is run, in one sentence
 * @param differences what is different from the paper's experiment, one sentence each
 */
public record About(String id, String title, Paper paper, String where, String setting, List<String> differences) {
    /** Copies the differences. */
    public About {
        differences = List.copyOf(differences);
    }
}
