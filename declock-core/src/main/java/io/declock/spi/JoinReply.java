// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * A memory node's answer to a compute node that joined.
 *
 * @param memoryNodeId stable id of the memory node
 * @param memoryNodeIncarnation incarnation of the memory node, another value after each of its starts
 * @param memoryNodeAddress the memory node's own {@code address:port} as it sees it; behind a virtual address it differs from the address
 *     that was connected to; empty if there is none
 * @param nodeId node id of the compute node here
 * @param incarnation incarnation of the compute node here
 * @param queueCapacity entries per lock record, a power of two
 * @param regionBytes size of the region
 * @param leaseNanos lease granted
 * @param memoryNodeTimeNanos the memory node's clock when it answered
 * @param membership live compute nodes, including the one that joined
 * @param nodeSet the memory nodes that the compute nodes here use together, {@link NodeSet#NONE} if none has declared them
 */
public record JoinReply(
        String memoryNodeId,
        long memoryNodeIncarnation,
        String memoryNodeAddress,
        int nodeId,
        int incarnation,
        int queueCapacity,
        long regionBytes,
        long leaseNanos,
        long memoryNodeTimeNanos,
        Membership membership,
        NodeSet nodeSet) {}
