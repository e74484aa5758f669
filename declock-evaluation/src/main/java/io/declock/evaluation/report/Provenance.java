// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.report;

/**
 * Where and when a report was made: the only lines of it that differ from run to run.
 *
 * @param date the day
 * @param commit the commit, or a word for an unknown one
 * @param environment machine and JVM
 */
public record Provenance(String date, String commit, String environment) {
    /** Returns one line of text. */
    public String line() {
        return date + ", commit " + commit + ", " + environment;
    }
}
