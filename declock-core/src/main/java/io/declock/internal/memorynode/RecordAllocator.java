// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.internal.layout.ResetClaim;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Allocates initialised lock records and frees them. Records that were never used are not touched before their allocation. Thread-safe; its
 * lock is taken only for new names, never for known ones.
 */
final class RecordAllocator {
    /** Result of {@link #allocate} when no record is free. */
    static final int NONE = -1;

    private final Region region;
    private final RecordLayout layout;
    private final HighWaterMark highWaterMark;
    private final int total;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int neverUsed;

    @GuardedBy("lock")
    private int[] free = {};

    @GuardedBy("lock")
    private int freeCount;

    private final AtomicInteger inUse = new AtomicInteger();

    RecordAllocator(Region region, RecordLayout layout, HighWaterMark highWaterMark, int total) {
        this.region = region;
        this.layout = layout;
        this.highWaterMark = highWaterMark;
        this.total = total;
    }

    /** Returns the index of an initialised record, or {@link #NONE}. */
    int allocate() {
        lock.lock();
        try {
            int index = freeCount > 0 ? free[freeCount - 1] : neverUsed < total ? neverUsed : NONE;
            if (index == NONE) {
                return NONE;
            }
            region.ensureSegment(index);
            initialise(region.recordAddress(index));
            // Counted only now, so that a failure to get memory changes nothing.
            if (freeCount > 0) {
                freeCount--;
            } else {
                neverUsed++;
            }
            inUse.getAndIncrement();
            return index;
        } finally {
            lock.unlock();
        }
    }

    private void initialise(long record) {
        long epoch = highWaterMark.current();
        for (int slot = 0; slot < layout.capacity(); slot++) {
            region.write(layout.entry(record, slot), QueueEntry.INITIAL);
        }
        region.write(layout.claim(record), ResetClaim.NONE);
        region.write(layout.readersMark(record), 0);
        region.write(layout.epoch(record), epoch);
        region.write(layout.header(record), LockHeader.pack(epoch, 0, 0, 0));
    }

    /**
     * Writes a record that no compute node uses as a reset would that some holders survive.
     *
     * @param holders number of positions, each of which holds the lock
     * @param writers how many of them are exclusive
     */
    void restore(int index, long epoch, int holders, int writers) {
        long record = region.recordAddress(index);
        region.write(layout.epoch(record), epoch);
        region.write(layout.header(record), LockHeader.pack(epoch, 0, holders, writers));
    }

    /** Frees a record; its name must have been forgotten before. */
    void free(int index) {
        lock.lock();
        try {
            if (freeCount == free.length) {
                free = Arrays.copyOf(free, Math.max(64, free.length + (free.length >> 1)));
            }
            free[freeCount++] = index;
            inUse.getAndDecrement();
        } finally {
            lock.unlock();
        }
    }

    /** Allocates the memory of every segment now. */
    void preallocate() {
        for (int index = 0; index < total; index++) {
            region.ensureSegment(index);
        }
    }

    /** Returns how many records belong to a name. */
    int inUse() {
        return inUse.get();
    }

    /** Returns how many records were ever allocated: an index at or above this number was never used. */
    int everUsed() {
        lock.lock();
        try {
            return neverUsed;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the total number of records. */
    int total() {
        return total;
    }
}
