// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.Verb;
import io.declock.internal.monitor.StripedSums;

/** The counters of a memory node. Thread-safe; values only grow. */
public final class NodeCounts {
    /** The events that are counted. */
    public enum Kind {
        /** Peer messages relayed. */
        RELAYED,
        /** Malformed frames, each of which closed its connection. */
        BAD_FRAME,
        /** Connections refused: wrong secret, other version, or another protocol than DecLock's. */
        REFUSED_CONNECTION,
        /** Connections closed because the other side did not read. */
        SLOW_READER,
        /** Records reclaimed. */
        RECLAIMED,
        /** Names refused because their session had reached its quota of records. */
        REFUSED_NAME,
        /** Records whose epoch no reset can have reached, which are never given to another name. */
        QUARANTINED,
        /** Times that another living memory node of the same id was found. */
        TWIN,
        /** Sessions that went on with another connection. */
        RESUMED,
        /** Holds of the former life that were restored. */
        RESTORED_HOLD,
        /** Holds of the former life that contradicted others, and were not restored. */
        REFUSED_HOLD,
        /** Values of guarded locks that were read. */
        VALUE_READ,
        /** Values of guarded locks that were stored or removed. */
        VALUE_STORED
    }

    private static final int KINDS = Kind.values().length;

    // The kinds of events, then the verbs.
    private final StripedSums sums = new StripedSums(KINDS + Verb.values().length);

    NodeCounts() {}

    /** Counts one event. */
    public void count(Kind kind) {
        sums.add(kind.ordinal(), 1);
    }

    /** Counts several events. */
    public void count(Kind kind, int number) {
        sums.add(kind.ordinal(), number);
    }

    /** Counts a verb that was executed, here or by an adapter. */
    public void count(Verb verb) {
        sums.add(KINDS + verb.ordinal(), 1);
    }

    /** Returns how often a verb was executed. */
    public long get(Verb verb) {
        return sums.sum(KINDS + verb.ordinal());
    }

    /** Returns the number of events. */
    public long get(Kind kind) {
        return sums.sum(kind.ordinal());
    }
}
