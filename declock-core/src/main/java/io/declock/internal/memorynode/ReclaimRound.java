// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One proposal to reclaim idle records, and the answers to it. Guarded by the reclaimer's lock, except the final values. */
final class ReclaimRound {
    /** Most resolutions that wait. Without a bound, a client could fill the memory by small requests for the same name. */
    static final int MOST_PUT_OFF = 1 << 14;

    final long number;
    /** Indices of the records, ascending. */
    private final int[] records;

    private final IdleScan scan;

    private final BitSet staying = new BitSet();
    private final Set<MemoryNodeSession> unanswered = new HashSet<>();
    private final List<Runnable> putOff = new ArrayList<>();
    private boolean ended;

    ReclaimRound(long number, IdleScan scan, int[] records) {
        this.number = number;
        this.scan = scan;
        this.records = records;
    }

    int size() {
        return records.length;
    }

    int record(int i) {
        return records[i];
    }

    /** Returns the header of a record when it was found idle. */
    long header(int i) {
        return scan.headerOf(records[i]);
    }

    boolean concerns(int record) {
        return Arrays.binarySearch(records, record) >= 0;
    }

    /** Excludes a record from the reclaiming. */
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

    /** Keeps the records that a session knows which cannot be asked, because it has no connection. */
    void keepKnown(MemoryNodeSession session) {
        for (int i = 0; i < records.length; i++) {
            if (session.known().contains(records[i])) {
                staying.set(i);
            }
        }
    }

    void dropCut() {
        unanswered.removeIf(MemoryNodeSession::isCutDone);
    }

    boolean isAnswered() {
        return unanswered.isEmpty();
    }

    /** The outcome for a resolution that should wait for the end of the round. */
    enum PutOff {
        /** It waits. */
        WAITS,
        /** The round is over: it need not wait. */
        OVER,
        /** The largest number of resolutions waits already. */
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
