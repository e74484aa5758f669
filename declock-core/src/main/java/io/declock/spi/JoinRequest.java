// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * What a compute node says when it joins a memory node.
 *
 * @param processId identifies the process to the memory node across its sessions there. Joining ends an earlier session of the same
 *     process: whoever joins again must have declared everything lost that it held in the one before (rule C6 of docs/protocol.md)
 * @param attempt counts the process's attempts to join there. One that is not above that of the present session has been overtaken, and
 *     is refused
 * @param name what the process calls itself, for people
 * @param peerAddress {@code host:port} where it accepts peer messages, empty for none
 * @param nodeSetDigest digest of the stable ids of the configured memory nodes, 0 while they are not known yet
 * @param highestEpoch highest full epoch this process has seen on that memory node, so that a restarted one starts above
 * @param leaseNanos lease asked for
 * @param former the memory node that the last session at this address was with
 */
public record JoinRequest(
        long processId,
        long attempt,
        String name,
        String peerAddress,
        long nodeSetDigest,
        long highestEpoch,
        long leaseNanos,
        FormerMemoryNode former) {
    /** Makes the request of a process that had no session at this address before. */
    public JoinRequest(
            long processId,
            long attempt,
            String name,
            String peerAddress,
            long nodeSetDigest,
            long highestEpoch,
            long leaseNanos) {
        this(processId, attempt, name, peerAddress, nodeSetDigest, highestEpoch, leaseNanos, FormerMemoryNode.NONE);
    }

    /** Returns the same request with another peer address. */
    public JoinRequest withPeerAddress(String other) {
        return new JoinRequest(processId, attempt, name, other, nodeSetDigest, highestEpoch, leaseNanos, former);
    }
}
