// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live compute nodes of one memory node at one moment. A node that is missing has been cut off: no verb that it posted can be executed
 * any more. Immutable; finds a member by its node id without a search, because every hand-over does.
 */
public final class Membership {
    private final long version;
    private final @Nullable Member[] byNodeId;
    /** Made when it is first asked for: most memberships are only compared with the next one. */
    private volatile @Nullable List<Member> members;

    private final boolean allAskForKept;

    /**
     * Makes one.
     *
     * @param version increases with every change
     * @param members the live compute nodes, each node id once
     */
    public Membership(long version, List<Member> members) {
        this.version = version;
        int highest = 0;
        for (Member member : members) {
            highest = Math.max(highest, member.nodeId());
        }
        this.byNodeId = new @Nullable Member[highest + 1];
        for (Member member : members) {
            byNodeId[member.nodeId()] = member;
        }
        this.allAskForKept = allAskForKept(byNodeId);
    }

    private Membership(long version, @Nullable Member[] byNodeId) {
        this.version = version;
        this.byNodeId = byNodeId;
        this.allAskForKept = allAskForKept(byNodeId);
    }

    private static boolean allAskForKept(@Nullable Member[] all) {
        for (Member member : all) {
            if (member != null && !member.asksForKept()) {
                return false;
            }
        }
        return true;
    }

    /** {@return whether every member asks for locks that others keep (rule K2): else nothing may be kept} */
    public boolean allAskForKept() {
        return allAskForKept;
    }

    /** {@return a number that increases with every change} */
    public long version() {
        return version;
    }

    /** {@return the live compute nodes, by ascending node id} */
    public List<Member> members() {
        List<Member> known = members;
        if (known == null) {
            List<Member> all = new ArrayList<>();
            for (Member member : byNodeId) {
                if (member != null) {
                    all.add(member);
                }
            }
            known = List.copyOf(all);
            members = known;
        }
        return known;
    }

    /**
     * {@return whether a member of this membership is no longer live in a later one}
     *
     * @param later a later membership of the same memory node
     */
    public boolean hasLost(Membership later) {
        for (int nodeId = 0; nodeId < byNodeId.length; nodeId++) {
            Member member = byNodeId[nodeId];
            Member other = later.byNodeId(nodeId);
            if (member != null && member != other && (other == null || other.incarnation() != member.incarnation())) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return the live member with that node id, or null}
     *
     * @param nodeId the node id
     */
    public @Nullable Member byNodeId(int nodeId) {
        return nodeId >= 0 && nodeId < byNodeId.length ? byNodeId[nodeId] : null;
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

    /**
     * {@return what leads from this membership to a later one of the same memory node}
     *
     * @param later the later one
     */
    public MembershipChange changeTo(Membership later) {
        List<Integer> gone = members().stream()
                .map(Member::nodeId)
                .filter(nodeId -> later.byNodeId(nodeId) == null)
                .toList();
        List<Member> come = new ArrayList<>();
        for (Member member : later.members()) {
            if (!member.equals(byNodeId(member.nodeId()))) {
                come.add(member);
            }
        }
        return new MembershipChange(version, later.version, gone, come);
    }

    /**
     * {@return the membership after a change}
     *
     * @param change a change from this {@link #version}
     * @throws IllegalArgumentException if it is a change from another version
     */
    public Membership after(MembershipChange change) {
        if (change.from() != version) {
            throw new IllegalArgumentException(
                    "a change from membership " + change.from() + " where " + version + " is known");
        }
        int highest = byNodeId.length - 1;
        for (Member member : change.come()) {
            highest = Math.max(highest, member.nodeId());
        }
        @Nullable Member[] next = Arrays.copyOf(byNodeId, highest + 1);
        for (int nodeId : change.gone()) {
            if (nodeId >= 0 && nodeId < next.length) {
                next[nodeId] = null;
            }
        }
        for (Member member : change.come()) {
            next[member.nodeId()] = member;
        }
        return new Membership(change.to(), next);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Membership that
                && version == that.version
                && members().equals(that.members());
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(version) + members().hashCode();
    }

    @Override
    public String toString() {
        return "membership " + version + " " + members();
    }
}
