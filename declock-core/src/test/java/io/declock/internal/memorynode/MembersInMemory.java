// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A list of members that survives the lives of a memory node within a test. Thread-safe. */
public final class MembersInMemory {
    private final Map<List<Integer>, MemberList.ListedMember> members = new LinkedHashMap<>();
    private final Set<Long> lives = new HashSet<>();
    private boolean complete;
    private long mark;
    private int highest;

    /** Returns the list as the next life finds it. */
    public synchronized MemberList nextLife() {
        return new Life(new MemberList.Former(complete, List.copyOf(members.values()), mark, highest, lives));
    }

    private final class Life implements MemberList {
        private final Former former;

        Life(Former former) {
            this.former = former;
        }

        @Override
        public Former former() {
            return former;
        }

        @Override
        public void begin(long memoryNodeIncarnation) {
            synchronized (MembersInMemory.this) {
                lives.add(memoryNodeIncarnation);
            }
        }

        @Override
        public void add(ListedMember member, Outcome outcome) {
            synchronized (MembersInMemory.this) {
                members.put(List.of(member.nodeId(), member.incarnation()), member);
                highest = Math.max(highest, member.incarnation());
            }
            outcome.written();
        }

        @Override
        public void remove(int nodeId, int incarnation) {
            synchronized (MembersInMemory.this) {
                members.remove(List.of(nodeId, incarnation));
            }
        }

        @Override
        public void raiseMark(long epoch, Outcome outcome) {
            synchronized (MembersInMemory.this) {
                mark = Math.max(mark, epoch);
            }
            outcome.written();
        }

        @Override
        public void complete(boolean now, Outcome outcome) {
            synchronized (MembersInMemory.this) {
                complete = now;
            }
            outcome.written();
        }

        @Override
        public void close() {}
    }
}
