// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.List;

/**
 * What leads from one {@link Membership} to a later one, so that a change costs the same however many compute nodes are joined.
 *
 * @param from version of the earlier membership
 * @param to version of the later one
 * @param gone node ids that have no member any more
 * @param come members that were added, or that have taken a node id over
 */
public record MembershipChange(long from, long to, List<Integer> gone, List<Member> come) {
    /** Copies the lists. */
    public MembershipChange {
        gone = List.copyOf(gone);
        come = List.copyOf(come);
    }
}
