// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

/**
 * A compute node as one memory node knows it. Node ids are per memory node: the same process has another id elsewhere.
 *
 * @param nodeId 1 to 4,095, fits a queue entry
 * @param incarnation number of this join under the node id; strictly increasing per node id
 * @param peerAddress {@code host:port} where the compute node accepts peer messages, empty when it can only be reached through the relay
 * @param name display name of the process, for people
 * @param asksForKept whether it asks for a lock that another compute node keeps without using it (rule K2): releases before version 7 of the wire
 *     protocol wait instead
 */
public record Member(int nodeId, int incarnation, String peerAddress, String name, boolean asksForKept) {
    /**
     * Makes a member of the present release.
     *
     * @param nodeId 1 to 4,095
     * @param incarnation number of this join under the node id
     * @param peerAddress where it accepts peer messages, empty for none
     * @param name display name
     */
    public Member(int nodeId, int incarnation, String peerAddress, String name) {
        this(nodeId, incarnation, peerAddress, name, true);
    }
}
