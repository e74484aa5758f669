// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.BitSet;
import java.util.List;

/**
 * The live compute nodes of one memory node, and which of them know one lock record: those that were ever told its address in their
 * present session. Nobody else can have a position in its queue, so nobody else needs to be asked about it (rule B9 of docs/protocol.md).
 *
 * @param all every live compute node
 * @param users those that know the record
 */
public record RecordMembers(Membership all, Membership users) {
    /**
     * Returns the members of which those with the given node ids know the record.
     *
     * @param ids node ids; what is no member's id does not matter
     */
    public static RecordMembers of(Membership all, BitSet ids) {
        List<Member> users = all.members().stream()
                .filter(member -> ids.get(member.nodeId()))
                .toList();
        return new RecordMembers(all, new Membership(all.version(), users));
    }
}
