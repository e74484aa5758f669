// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

/**
 * How much a connection's queue pair takes.
 *
 * @param sends send requests under way
 * @param receives receive requests posted
 */
record QueueSizes(int sends, int receives) {
    /** For a queue pair that only serves the other side's one-sided verbs: nothing is posted to it. */
    static final QueueSizes PASSIVE = new QueueSizes(1, 1);

    boolean isPassive() {
        return this == PASSIVE;
    }
}
