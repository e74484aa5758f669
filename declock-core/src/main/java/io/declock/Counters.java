// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/** The counts of a compute node since it was created. Thread-safe; values only grow. */
public interface Counters {
    /** The events that are counted, besides verbs. */
    public enum Event {
        /** Acquisitions that took a queue position at the memory node. */
        REMOTE_ACQUISITION,
        /** Grants by {@link GrantKind#UNCONTENDED}. */
        GRANT_UNCONTENDED,
        /** Grants by {@link GrantKind#QUEUED}. */
        GRANT_QUEUED,
        /** Grants by {@link GrantKind#LOCAL}. */
        GRANT_LOCAL,
        /** Grants by {@link GrantKind#PEER}. */
        GRANT_PEER,
        /** Grants sent to peers. */
        HAND_OVER,
        /** Grants sent before the release FAA (rule F of docs/protocol.md). */
        HAND_OVER_PRE_ARMED,
        /** Grants received that matched no pending request. */
        GRANT_IGNORED,
        /** Grants refused because they were for an older incarnation. */
        GRANT_REFUSED,
        /** Positions that were kept after their last user had released them. */
        KEPT,
        /** Messages by which another compute node asked for a lock that is kept here. */
        KEPT_WANTED,
        /** Self-checks made. */
        SELF_CHECK,
        /** Self-checks that found the lock granted. */
        SELF_CHECK_GRANT,
        /** Queue READs repeated because entries were not filled yet. */
        REFETCH,
        /** Positions passed on because their waiters had gone. */
        ORPHAN,
        /** Resets started by this process. */
        RESET_STARTED,
        /** Resets completed by this process. */
        RESET_COMPLETED,
        /** Resets taken over from another process. */
        RESET_TAKEN_OVER,
        /** Acquisitions started over because of a reset. */
        RETRY_AFTER_RESET,
        /** Sessions that went on with another connection, because one had broken. */
        SESSION_RESUMED,
        /** Sessions lost. */
        SESSION_LOST,
        /** Holds lost. */
        HOLD_LOST,
        /** Holds that the next life of their memory node restored. */
        HOLD_RESTORED,
        /** Holds that the next life of their memory node refused to restore. */
        HOLD_NOT_RESTORED,
        /** Peer messages sent directly. */
        PEER_DIRECT,
        /** Peer messages sent through the memory node. */
        PEER_RELAYED,
        /** Malformed frames, each of which closed its connection. */
        BAD_FRAME,
        /** Times a thread waiting for a lock was parked. */
        PARK
    }

    /**
     * {@return how many verbs of this kind were posted for this purpose}
     *
     * @param purpose why the verbs were posted
     * @param verb the kind of verb
     */
    long verbs(Purpose purpose, Verb verb);

    /**
     * {@return how many verbs were posted for this purpose}
     *
     * @param purpose why the verbs were posted
     */
    default long verbs(Purpose purpose) {
        long sum = 0;
        for (Verb verb : Verb.values()) {
            sum += verbs(purpose, verb);
        }
        return sum;
    }

    /**
     * {@return how often this event happened}
     *
     * @param event the event
     */
    long get(Event event);
}
