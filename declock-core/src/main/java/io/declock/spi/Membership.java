// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live compute nodes of one memory node at one moment. A node that is missing has been cut off: no verb that it posted can be executed
 * any more.
 *
 * @param version increases with every change
 * @param members the live compute nodes
 */
public record Membership(long version, List<Member> members) {
    /** Copies the list. */
    public Membership {
        members = List.copyOf(members);
    }

    /**
     * {@return the live member with that node id, or null}
     *
     * @param nodeId the node id
     */
    public @Nullable Member byNodeId(int nodeId) {
        for (Member member : members) {
            if (member.nodeId() == nodeId) {
                return member;
            }
        }
        return null;
    }

    /**
     * {@return whether exactly that incarnation of the node is live}
     *
     * @param nodeId the node id
     * @param incarnation the incarnation
     */
    public boolean isLive(int nodeId, int incarnation) {
        Member member = byNodeId(nodeId);
        return member != null && member.incarnation() == incarnation;
    }
}
