// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

/** How a value stands beside a published one. */
public enum Verdict {
    /** It is between four fifths and five fourths of the published improvement or size, or within the bound. */
    REACHED("reached"),
    /** An improvement is more than five fourths of the published one. */
    MORE("more than the paper's"),
    /** The order is the paper's, the size is not; a size without an order is within a factor of two. */
    ORDER("the paper's order, another size"),
    /** Neither. */
    DIFFERS("differs");

    private final String label;

    Verdict(String label) {
        this.label = label;
    }

    /** Returns what it is called in the report. */
    public String label() {
        return label;
    }
}
