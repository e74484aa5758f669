// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.RecordMembers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that are members, by node id, and the membership made from them, whose version rises with every change. Only callers that hold
 * the session table's lock change it. Reading needs no lock: a reader may find a change in the sessions before it finds it in the membership.
 */
final class JoinedSessions {
    private final AtomicReferenceArray<@Nullable MemoryNodeSession> sessions;
    /** The session of the {@link Trustee}, which is a member but no compute node, or null. */
    private volatile @Nullable MemoryNodeSession trustee;

    private volatile Membership membership = new Membership(1, List.of());

    /** @param most most compute nodes at a time, which is the highest node id of one */
    JoinedSessions(int most) {
        this.sessions = new AtomicReferenceArray<>(most + 2);
    }

    /** Adds a session, in place of the one with its node id if there is one. */
    void add(MemoryNodeSession session) {
        sessions.set(session.member().nodeId(), session);
        changeMembership();
    }

    /** Removes a session. */
    void remove(MemoryNodeSession session) {
        sessions.set(session.member().nodeId(), null);
        changeMembership();
    }

    /** Adds the session of the trustee. */
    void addTrustee(MemoryNodeSession session) {
        trustee = session;
        add(session);
    }

    /** Returns the session of the trustee, or null. */
    @Nullable
    MemoryNodeSession trustee() {
        return trustee;
    }

    private void changeMembership() {
        List<Member> members = new ArrayList<>();
        for (MemoryNodeSession session : allBut(null)) {
            members.add(session.member());
        }
        membership = new Membership(membership.version() + 1, members);
    }

    Membership membership() {
        return membership;
    }

    /** Returns the members and which of them know a record. */
    RecordMembers membersThatKnow(int record) {
        Membership all = membership;
        BitSet users = new BitSet();
        for (Member member : all.members()) {
            MemoryNodeSession session = byNodeId(member.nodeId());
            if (session != null && session.member() == member && session.known().contains(record)) {
                users.set(member.nodeId());
            }
        }
        return RecordMembers.of(all, users);
    }

    /** Returns the session with that node id, or null. */
    @Nullable
    MemoryNodeSession byNodeId(int nodeId) {
        return nodeId < 1 || nodeId >= sessions.length() ? null : sessions.get(nodeId);
    }

    /** Returns the session of a process, or null. */
    @Nullable
    MemoryNodeSession ofProcess(long processId) {
        for (MemoryNodeSession session : snapshot()) {
            if (session.processId() == processId) {
                return session;
            }
        }
        return null;
    }

    /** Returns the session of every compute node, by rising node id. */
    List<MemoryNodeSession> snapshot() {
        return allBut(trustee);
    }

    private List<MemoryNodeSession> allBut(@Nullable MemoryNodeSession one) {
        List<MemoryNodeSession> all = new ArrayList<>();
        for (int id = 1; id < sessions.length(); id++) {
            MemoryNodeSession session = sessions.get(id);
            if (session != null && session != one) {
                all.add(session);
            }
        }
        return all;
    }
}
