// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.BitSet;
import java.util.List;

/**
 * The live compute nodes of one memory node, and which of them know one lock record: those to which the memory node has sent its address in
 * their present session. No other compute node can have a position in its queue, so no other needs to be asked about it (rule B9 of
 * docs/protocol.md).
 *
 * @param all every live compute node
 * @param users those that know the record
 */
public record RecordMembers(Membership all, Membership users) {
    /**
     * {@return the members, with those of the given node ids as users of the record}
     *
     * @param all every live compute node
     * @param ids node ids; ids of non-members are ignored
     */
    public static RecordMembers of(Membership all, BitSet ids) {
        List<Member> users = all.members().stream()
                .filter(member -> ids.get(member.nodeId()))
                .toList();
        return new RecordMembers(all, new Membership(all.version(), users));
    }
}
