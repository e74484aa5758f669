// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

/**
 * Capacity of a connection's queue pair.
 *
 * @param sends maximum number of send requests in flight
 * @param receives maximum number of posted receive requests
 */
record QueueSizes(int sends, int receives) {
    /** For a queue pair that only serves the other side's one-sided verbs: no request is posted to it. */
    static final QueueSizes PASSIVE = new QueueSizes(1, 1);

    boolean isPassive() {
        return this == PASSIVE;
    }
}
