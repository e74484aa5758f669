// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.monitor.StripedSums;

/** The counters of a memory node. Thread-safe; values only grow. */
public final class NodeCounts {
    /** The events that are counted. */
    public enum Kind {
        /** FAAs executed. */
        FETCH_AND_ADD,
        /** CASes executed. */
        COMPARE_AND_SWAP,
        /** READs executed. */
        READ,
        /** WRITEs executed. */
        WRITE,
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
        TWIN
    }

    private final StripedSums sums = new StripedSums(Kind.values().length);

    NodeCounts() {}

    /** Counts one event. */
    public void count(Kind kind) {
        sums.add(kind.ordinal(), 1);
    }

    /** Counts several events. */
    public void count(Kind kind, int number) {
        sums.add(kind.ordinal(), number);
    }

    /** Returns the number of events. */
    public long get(Kind kind) {
        return sums.sum(kind.ordinal());
    }
}
