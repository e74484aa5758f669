// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

/**
 * The limits of a device and its port, see ibv_query_device(3) and ibv_query_port(3). A number is 0 if the provider cannot read it.
 *
 * @param device name of the device
 * @param maxQueuePairs maximum number of queue pairs
 * @param maxWorkRequests maximum number of work requests per queue
 * @param maxInitiated maximum number of READs and atomics in flight per queue pair
 * @param maxResponded maximum number of READs and atomics executed at once per queue pair
 * @param atomics whether it executes atomics
 * @param portActive whether the port is up
 */
public record DeviceLimits(
        String device,
        int maxQueuePairs,
        int maxWorkRequests,
        int maxInitiated,
        int maxResponded,
        boolean atomics,
        boolean portActive) {
    /** Returns the maximum number of queue pairs as text to append to a sentence; empty if the provider cannot read the number. */
    public String describeQueuePairs() {
        return maxQueuePairs == 0
                ? ""
                : " (it allows " + maxQueuePairs + " in all, with at most " + maxWorkRequests + " requests each)";
    }
}
