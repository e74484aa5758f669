// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A list of members that survives the lives of a memory node within a test. Thread-safe. */
public final class MembersInMemory {
    private final Map<List<Integer>, MemberList.ListedMember> members = new LinkedHashMap<>();
    private final Set<Long> lives = new HashSet<>();
    private final List<Runnable> held = new ArrayList<>();
    private boolean complete;
    private KeptNodes nodes = KeptNodes.NONE;
    private long mark;
    private int highest;
    private boolean holds;
    private String failure = "";

    /** Has members be written only when {@link #letGo} is called. */
    synchronized void hold() {
        holds = true;
    }

    /** Writes the members that are held. */
    void letGo() {
        List<Runnable> now;
        synchronized (this) {
            holds = false;
            now = List.copyOf(held);
            held.clear();
        }
        now.forEach(Runnable::run);
    }

    /** Has members not be written, for a reason; an empty text ends that. */
    synchronized void fail(String why) {
        failure = why;
    }

    /** Returns the ids of the members that are written down. */
    synchronized List<Integer> nodeIds() {
        return members.values().stream().map(MemberList.ListedMember::nodeId).toList();
    }

    /** Makes the list one that names every compute node that may have a lease. */
    public synchronized void complete() {
        complete = true;
    }

    synchronized boolean isComplete() {
        return complete;
    }

    synchronized long mark() {
        return mark;
    }

    /** Returns the list as the next life finds it. */
    public synchronized MemberList nextLife() {
        return new Life(new MemberList.Former(complete, List.copyOf(members.values()), mark, highest, lives, nodes));
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
            String why;
            synchronized (MembersInMemory.this) {
                if (holds) {
                    held.add(() -> add(member, outcome));
                    return;
                }
                why = failure;
                if (why.isEmpty()) {
                    members.put(List.of(member.nodeId(), member.incarnation()), member);
                    highest = Math.max(highest, member.incarnation());
                }
            }
            if (why.isEmpty()) {
                outcome.written();
            } else {
                outcome.failed(why);
            }
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
        public void keepNodes(KeptNodes kept, Outcome outcome) {
            String why;
            synchronized (MembersInMemory.this) {
                why = failure;
                if (why.isEmpty()) {
                    // As a place would that outlives objects.
                    nodes = KeptNodes.parse(kept.text());
                }
            }
            if (why.isEmpty()) {
                outcome.written();
            } else {
                outcome.failed(why);
            }
        }

        @Override
        public void close() {}
    }
}
