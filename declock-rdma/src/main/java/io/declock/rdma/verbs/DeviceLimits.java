// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma.verbs;

/**
 * What a device and its port can do, see ibv_query_device(3) and ibv_query_port(3). A number is 0 where the provider cannot tell.
 *
 * @param device name
 * @param maxQueuePairs queue pairs
 * @param maxWorkRequests work requests per queue
 * @param maxCompletions entries of a completion queue
 * @param maxRegions registrations of memory
 * @param maxDomains protection domains
 * @param maxInitiated READs and atomics under way per queue pair
 * @param maxResponded READs and atomics executed at once per queue pair
 * @param atomics whether it executes atomics
 * @param activeMtuBytes what the port carries in one packet
 * @param portActive whether the port is up
 */
public record DeviceLimits(
        String device,
        int maxQueuePairs,
        int maxWorkRequests,
        int maxCompletions,
        int maxRegions,
        int maxDomains,
        int maxInitiated,
        int maxResponded,
        boolean atomics,
        int activeMtuBytes,
        boolean portActive) {
    /** Returns how many queue pairs there may be, for people, to follow a sentence; empty where the provider cannot tell. */
    public String describeQueuePairs() {
        return maxQueuePairs == 0
                ? ""
                : " (it allows " + maxQueuePairs + " in all, with at most " + maxWorkRequests + " requests each)";
    }
}
