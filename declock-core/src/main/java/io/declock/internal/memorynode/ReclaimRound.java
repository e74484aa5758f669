// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One proposal to give idle records back, and the answers to it. Guarded by the reclaimer's lock, except what is final. */
final class ReclaimRound {
    /** A request of a few bytes must not take ever more memory by asking for the same name again and again. */
    static final int MOST_PUT_OFF = 1 << 14;

    final long number;
    /** Indices of the records, ascending. */
    private final int[] records;
    /** The header each had when it was found idle. */
    private final long[] headers;

    private final BitSet staying = new BitSet();
    private final Set<MemoryNodeSession> unanswered = new HashSet<>();
    private final List<Runnable> putOff = new ArrayList<>();
    private boolean ended;

    ReclaimRound(long number, int[] records, long[] headers) {
        this.number = number;
        this.records = records;
        this.headers = headers;
    }

    int size() {
        return records.length;
    }

    int record(int i) {
        return records[i];
    }

    long header(int i) {
        return headers[i];
    }

    boolean concerns(int record) {
        return Arrays.binarySearch(records, record) >= 0;
    }

    /** Keeps a record. */
    void keep(int record) {
        int i = Arrays.binarySearch(records, record);
        if (i >= 0) {
            staying.set(i);
        }
    }

    boolean isKept(int i) {
        return staying.get(i);
    }

    void await(List<MemoryNodeSession> sessions) {
        unanswered.addAll(sessions);
    }

    boolean answered(MemoryNodeSession session) {
        return unanswered.remove(session);
    }

    void dropCut() {
        unanswered.removeIf(session -> session.cut);
    }

    boolean isAnswered() {
        return unanswered.isEmpty();
    }

    /** What became of a resolution that should wait for the end of the round. */
    enum PutOff {
        /** It waits. */
        WAITS,
        /** The round is over: it need not wait. */
        OVER,
        /** As many wait as may. */
        FULL
    }

    /** Lets a resolution wait. */
    PutOff putOff(Runnable resolution) {
        if (ended) {
            return PutOff.OVER;
        }
        if (putOff.size() >= MOST_PUT_OFF) {
            return PutOff.FULL;
        }
        putOff.add(resolution);
        return PutOff.WAITS;
    }

    /** Ends the round and returns the resolutions that waited for it. */
    List<Runnable> end() {
        ended = true;
        return putOff;
    }
}
