// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.layout.LockHeader;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the positions that have passed through the queues of locks between two looks, by the heads of their queues: compute nodes move these by
 * one-sided verbs, and whatever executes the verbs, the memory can be read. Looks at the first million records. Thread-safe.
 */
final class PassedPositions {
    private static final int MOST_RECORDS = 1 << 20;

    private final NodeBasics node;
    private final RecordAllocator allocator;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private long[] headers = {};

    @GuardedBy("lock")
    private long lookedAt;

    PassedPositions(NodeBasics node, RecordAllocator allocator) {
        this.node = node;
        this.allocator = allocator;
    }

    /** Receives what has passed through a queue. */
    interface Found {
        void passed(int record, double perSecond);
    }

    /** Looks at every record that was ever used, because the others may have no memory yet; the first look finds nothing. */
    void look(Found found) {
        lock.lock();
        try {
            boolean first = headers.length == 0;
            if (first) {
                headers = new long[Math.min(allocator.total(), MOST_RECORDS)];
            }
            int used = Math.min(allocator.everUsed(), headers.length);
            long now = node.clock().nanoTime();
            double seconds = Math.max(1e-9, (now - lookedAt) / 1e9);
            lookedAt = now;
            for (int record = 0; record < used; record++) {
                long header =
                        node.region().read(node.layout().header(node.region().recordAddress(record)));
                long passed = passed(headers[record], header);
                headers[record] = header;
                if (passed > 0 && !first) {
                    found.passed(record, passed / seconds);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** A reset begins a queue anew. */
    private static long passed(long before, long after) {
        int head = LockHeader.head(after);
        return LockHeader.epoch(before) == LockHeader.epoch(after) ? head - LockHeader.head(before) : head;
    }
}
