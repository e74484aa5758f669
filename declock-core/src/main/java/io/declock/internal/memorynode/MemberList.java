// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.List;
import java.util.Set;

/**
 * Where a memory node writes its members down, in a place that survives it, so that its next life knows whose leases may still run (rule H1
 * of docs/protocol.md). Without such a place ({@link #NONE}) the next life waits for the longest lease (rule C3). Thread-safe; outcomes are
 * told on any thread, and never by a thread that holds a lock of this object.
 */
public interface MemberList {
    /** No place that survives: every life begins without a list. */
    MemberList NONE = new Nowhere();

    /** Returns what the former lives wrote down, as it was before this life changed anything. */
    Former former();

    /**
     * Writes that a life of the memory node begins. Its members are added to those of the former lives, which stay in the list until they
     * are removed. It is durable before the first member is.
     *
     * @param memoryNodeIncarnation incarnation of the memory node in this life
     * @throws java.io.UncheckedIOException if it cannot be written; then this life must not serve
     */
    void begin(long memoryNodeIncarnation);

    /** Writes that a compute node is a member; it may learn of that only when it is durable. */
    void add(ListedMember member, Outcome outcome);

    /** Writes that a compute node is no longer a member. If that is lost, the next life only waits for it longer than necessary. */
    void remove(int nodeId, int incarnation);

    /** Raises the epoch above which the next life begins; a lower one than before changes nothing. */
    void raiseMark(long epoch, Outcome outcome);

    /**
     * Writes whether the list names every compute node that may have a lease. It does not before the first life with this list has waited
     * for the leases of lives without one, nor while another memory node of the same id may have granted leases (rule C7).
     */
    void complete(boolean complete, Outcome outcome);

    /** Writes the list of memory nodes, in place of the one that was written before (rule M5). */
    void keepNodes(KeptNodes nodes, Outcome outcome);

    /** Ends the writing; what was written stays, and another life may begin. */
    void close();

    /**
     * A compute node that is a member.
     *
     * @param nodeId its id
     * @param incarnation its incarnation
     * @param processId the process that asked to join
     * @param attempt number of its attempt to join
     * @param leaseNanos its lease
     */
    record ListedMember(int nodeId, int incarnation, long processId, long attempt, long leaseNanos) {}

    /**
     * What the former lives wrote down.
     *
     * @param complete whether it names every compute node that may have a lease
     * @param members the members at the end of the last life, and those of earlier lives that had not been removed
     * @param mark epoch above which this life must begin, 0 for none
     * @param highestIncarnation highest incarnation that a compute node has ever had, 0 for none
     * @param lives incarnations of the last lives of the memory node
     * @param nodes the list of memory nodes
     */
    record Former(
            boolean complete,
            List<ListedMember> members,
            long mark,
            int highestIncarnation,
            Set<Long> lives,
            KeptNodes nodes) {
        /** Nothing was written. */
        public static final Former NOTHING = new Former(false, List.of(), 0, 0, Set.of());

        /** Makes one without a list of memory nodes. */
        public Former(
                boolean complete, List<ListedMember> members, long mark, int highestIncarnation, Set<Long> lives) {
            this(complete, members, mark, highestIncarnation, lives, KeptNodes.NONE);
        }

        /** Copies the collections. */
        public Former {
            members = List.copyOf(members);
            lives = Set.copyOf(lives);
        }
    }

    /** Receives the end of a write, once. */
    interface Outcome {
        /** It is durable: it survives the end of this process and of its machine. */
        void written();

        /**
         * It could not be written; nothing else was changed, and a later write is tried again.
         *
         * @param why what failed, where, and what to do
         */
        void failed(String why);
    }

    /** Writes nothing down: every write succeeds at once and is forgotten. */
    final class Nowhere implements MemberList {
        private Nowhere() {}

        @Override
        public Former former() {
            return Former.NOTHING;
        }

        @Override
        public void begin(long memoryNodeIncarnation) {}

        @Override
        public void add(ListedMember member, Outcome outcome) {
            outcome.written();
        }

        @Override
        public void remove(int nodeId, int incarnation) {}

        @Override
        public void raiseMark(long epoch, Outcome outcome) {
            outcome.written();
        }

        @Override
        public void complete(boolean complete, Outcome outcome) {
            outcome.written();
        }

        @Override
        public void keepNodes(KeptNodes nodes, Outcome outcome) {
            outcome.failed("there is no place for it");
        }

        @Override
        public void close() {}
    }
}
