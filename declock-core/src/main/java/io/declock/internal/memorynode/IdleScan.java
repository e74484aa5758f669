// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.RecordLayout;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The headers of a range of records at one moment, and the records that were resolved since. A record is idle if its queue is empty. After
 * a compute node has died there may also be orphans: records whose queue has only positions of dead compute nodes, and which no compute
 * node resolves again. The memory node cannot distinguish them from records in use, so a scan for orphans takes every record whose header
 * does not change; a compute node that uses one vetoes. Any thread may set marks; the rest is guarded by the reclaimer's lock.
 */
final class IdleScan {
    private static final long BUSY = -1;

    private final Region region;
    private final RecordLayout layout;
    private final int from;
    private final boolean orphans;
    private final long[] headers;
    private final AtomicLongArray asked;
    private int next;

    IdleScan(Region region, RecordLayout layout, Names names, int from, int count, boolean orphans) {
        this.region = region;
        this.layout = layout;
        this.from = from;
        this.orphans = orphans;
        this.headers = new long[count];
        this.asked = new AtomicLongArray((count >> 6) + 1);
        for (int i = 0; i < count; i++) {
            headers[i] = names.get(from + i) == null ? BUSY : idleHeader(from + i);
        }
    }

    private long idleHeader(int record) {
        long header = region.read(layout.header(region.recordAddress(record)));
        return orphans || isIdle(header) ? header : BUSY;
    }

    /** Returns whether the queue of a record with this header is empty and no reset is under way. */
    static boolean isIdle(long header) {
        return LockHeader.size(header) == 0 && !LockHeader.isInReset(header);
    }

    boolean isForOrphans() {
        return orphans;
    }

    /** Marks a record as resolved since the scan. */
    void ask(int record) {
        int i = record - from;
        if (i >= 0 && i < headers.length) {
            asked.getAndUpdate(i >> 6, bits -> bits | 1L << (i & 63));
        }
    }

    boolean wasAsked(int record) {
        int i = record - from;
        return (asked.get(i >> 6) & 1L << (i & 63)) != 0;
    }

    /** Returns the next records of the range that have been idle since the scan, at most {@code most}. */
    int[] nextIdle(int most) {
        int[] found = new int[Math.min(most, headers.length - next)];
        int count = 0;
        while (next < headers.length && count < found.length) {
            int i = next++;
            if (headers[i] != BUSY && !wasAsked(from + i) && idleHeader(from + i) == headers[i]) {
                found[count++] = from + i;
            }
        }
        return Arrays.copyOf(found, count);
    }

    long headerOf(int record) {
        return headers[record - from];
    }

    /** Returns the index after the range. */
    int end() {
        return from + headers.length;
    }
}
