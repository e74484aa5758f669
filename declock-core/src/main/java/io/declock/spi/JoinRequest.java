// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * A compute node's request to join a memory node.
 *
 * @param processId identifies the process to the memory node across its sessions there. Joining ends an earlier session of the same
 *     process: a process that joins again must first have declared lost every lock that it held in its earlier session (rule C6 of
 *     docs/protocol.md)
 * @param attempt counts the process's attempts to join there. A request whose attempt is not above that of the present session has been
 *     overtaken and is refused
 * @param name display name of the process, for people
 * @param peerAddress {@code host:port} where the process accepts peer messages, empty for none
 * @param nodeSet the memory nodes that the process uses, {@link NodeSet#NONE} while it does not know them
 * @param highestEpoch highest full epoch this process has seen on that memory node, so that a restarted memory node starts above it
 * @param leaseNanos lease asked for
 * @param former the memory node of the last session at this address
 * @param moves whether the process still has holds of that session, which it will restore if this is a later life of that memory node
 *     ({@link ControlPlane#restore}); any other memory node refuses it ({@link FabricException.Reason#SESSION_OVER})
 */
public record JoinRequest(
        long processId,
        long attempt,
        String name,
        String peerAddress,
        NodeSet nodeSet,
        long highestEpoch,
        long leaseNanos,
        FormerMemoryNode former,
        boolean moves) {
    /**
     * Makes the request of a process that had no earlier session at this address and does not know the set of memory nodes.
     *
     * @param processId identifies the process
     * @param attempt counts the process's attempts
     * @param name what the process calls itself
     * @param peerAddress where it accepts peer messages, empty for none
     * @param highestEpoch highest full epoch seen there
     * @param leaseNanos lease asked for
     */
    public JoinRequest(
            long processId, long attempt, String name, String peerAddress, long highestEpoch, long leaseNanos) {
        this(
                processId,
                attempt,
                name,
                peerAddress,
                NodeSet.NONE,
                highestEpoch,
                leaseNanos,
                FormerMemoryNode.NONE,
                false);
    }
}
