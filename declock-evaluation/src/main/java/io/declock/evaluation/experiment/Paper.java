// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.experiment;

/** The papers of which the experiments are repeated. */
public enum Paper {
    /** DecLock. */
    DECLOCK("DecLock", "DecLock: A Case of Decoupled Locking for Disaggregated Memory"),
    /** ShiftLock. */
    SHIFTLOCK("ShiftLock", "ShiftLock, FAST 2025"),
    /** DSLR. */
    DSLR("DSLR", "Distributed Lock Management with RDMA: Decentralization without Starvation, SIGMOD 2018"),
    /** ALock. */
    ALOCK("ALock", "Technical Report: Asymmetric Mutual Exclusion for RDMA"),
    /** Soul. */
    SOUL("Soul", "Soul: Generalized Cache Coherence For Efficient Synchronization");

    private final String label;
    private final String title;

    Paper(String label, String title) {
        this.label = label;
        this.title = title;
    }

    /** Returns its short name. */
    public String label() {
        return label;
    }

    /** Returns its title, with the venue where it has one. */
    public String title() {
        return title;
    }
}
