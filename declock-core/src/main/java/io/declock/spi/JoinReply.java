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
 * @param nodes how far the memory node is with its list of memory nodes; a session that was told of a list counts as one that has declared it
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
        NodeSet nodeSet,
        NodeListState nodes) {
    /**
     * Makes one of a memory node without a list.
     *
     * @param memoryNodeId stable id of the memory node
     * @param memoryNodeIncarnation incarnation of the memory node
     * @param memoryNodeAddress the memory node's own address, empty if there is none
     * @param nodeId node id of the compute node here
     * @param incarnation incarnation of the compute node here
     * @param queueCapacity entries per lock record
     * @param regionBytes size of the region
     * @param leaseNanos lease granted
     * @param memoryNodeTimeNanos the memory node's clock when it answered
     * @param membership live compute nodes
     * @param nodeSet the memory nodes that the compute nodes here use together
     */
    public JoinReply(
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
            NodeSet nodeSet) {
        this(
                memoryNodeId,
                memoryNodeIncarnation,
                memoryNodeAddress,
                nodeId,
                incarnation,
                queueCapacity,
                regionBytes,
                leaseNanos,
                memoryNodeTimeNanos,
                membership,
                nodeSet,
                NodeListState.NONE);
    }

    /**
     * {@return the same answer of a memory node with a list}
     *
     * @param state how far it is with it
     */
    public JoinReply with(NodeListState state) {
        return new JoinReply(
                memoryNodeId,
                memoryNodeIncarnation,
                memoryNodeAddress,
                nodeId,
                incarnation,
                queueCapacity,
                regionBytes,
                leaseNanos,
                memoryNodeTimeNanos,
                membership,
                nodeSet,
                state);
    }
}
