// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One proposal to give idle records back, and the answers to it. Guarded by the reclaimer's lock, except what is final. */
final class ReclaimRound {
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

    /** Returns false if the round is over. */
    boolean putOff(Runnable resolution) {
        if (ended) {
            return false;
        }
        putOff.add(resolution);
        return true;
    }

    /** Ends the round and returns the resolutions that waited for it. */
    List<Runnable> end() {
        ended = true;
        return putOff;
    }
}
