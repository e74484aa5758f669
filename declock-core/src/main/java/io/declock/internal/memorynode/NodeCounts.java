// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.monitor.StripedSums;

/** What a memory node counts. Thread-safe; values only grow. */
public final class NodeCounts {
    /** What is counted. */
    public enum Kind {
        /** FAAs executed. */
        FETCH_AND_ADD,
        /** CASes executed. */
        COMPARE_AND_SWAP,
        /** READs executed. */
        READ,
        /** WRITEs executed. */
        WRITE,
        /** Peer messages passed on. */
        RELAYED,
        /** Frames that made no sense and closed their connection. */
        BAD_FRAME,
        /** Connections refused: wrong secret, other version, something else than DecLock. */
        REFUSED_CONNECTION,
        /** Connections closed because the other side did not read. */
        SLOW_READER,
        /** Records taken back. */
        RECLAIMED,
        /** Names refused because their session had created as many as it may. */
        REFUSED_NAME,
        /** Records whose epoch no reset can have reached, which are never given to another name. */
        QUARANTINED,
        /** Times that another living memory node of the same id was found. */
        TWIN
    }

    private final StripedSums sums = new StripedSums(Kind.values().length);

    NodeCounts() {}

    /** Counts one. */
    public void count(Kind kind) {
        sums.add(kind.ordinal(), 1);
    }

    /** Counts several. */
    public void count(Kind kind, int number) {
        sums.add(kind.ordinal(), number);
    }

    /** Returns how many there were. */
    public long get(Kind kind) {
        return sums.sum(kind.ordinal());
    }
}
