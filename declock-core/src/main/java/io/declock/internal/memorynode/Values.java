// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.StoredValue;
import io.declock.spi.ValueReading;
import io.declock.spi.ValueWriting;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The values beside the records of guarded locks. A value is stored only by a position that is still in its lock's queue, and read together with the
 * header, each at one instant (rules V1 to V3 of docs/protocol.md). A record with a value is not reclaimed. Thread-safe.
 */
final class Values {
    private final MemoryNodeSettings settings;
    private final Region region;
    private final RecordLayout layout;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Integer, StoredValue> byRecord = new HashMap<>();

    Values(MemoryNodeSettings settings, Region region, RecordLayout layout) {
        this.settings = settings;
        this.region = region;
        this.layout = layout;
    }

    /** Reads the value of a record. The header is read first: a position that it shows cannot have been followed by another one's value. */
    ValueReading read(int record) {
        lock.lock();
        try {
            long header = header(record);
            return new ValueReading(header, epochWord(record), byRecord.get(record));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stores a value or removes it.
     *
     * @param writer name of the writer's process
     * @throws FabricException.Refused if the writer's position is not in the queue, in a reset, for a version that is older than the present one,
     *     and if there is no room
     */
    void write(int record, String writer, ValueWriting writing) throws FabricException.Refused {
        byte @Nullable [] bytes = writing.bytes();
        if (bytes != null && bytes.length > StoredValue.MAX_BYTES) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST,
                    "a value of " + bytes.length + " bytes is longer than " + StoredValue.MAX_BYTES);
        }
        lock.lock();
        try {
            checkPosition(record, writing);
            StoredValue present = byRecord.get(record);
            if (present != null && present.token() > writing.token()) {
                throw new FabricException.Refused(
                        Reason.BAD_REQUEST,
                        "the value was stored with token " + present.token() + ", so it is not replaced with token "
                                + writing.token());
            }
            if (bytes == null) {
                byRecord.remove(record);
            } else {
                checkRoom(present);
                byRecord.put(record, new StoredValue(writing.token(), writer, bytes));
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkPosition(int record, ValueWriting writing) throws FabricException.Refused {
        long header = header(record);
        long epoch = LockHeader.fullEpoch(header, epochWord(record));
        if (LockHeader.isInReset(header) || epoch != writing.epoch()) {
            // A holder that has survived the reset hears of the new epoch, or will.
            throw new FabricException.Refused(
                    Reason.NOT_YET,
                    "the lock is in a reset, or was since epoch " + writing.epoch() + ": "
                            + LockHeader.toString(header));
        }
        if (writing.index() < LockHeader.head(header) || writing.index() >= LockHeader.tail(header)) {
            throw new FabricException.Refused(
                    Reason.BAD_REQUEST,
                    "position " + writing.index() + " of epoch " + writing.epoch()
                            + " is not in the lock's queue any more: " + LockHeader.toString(header));
        }
    }

    @GuardedBy("lock")
    private void checkRoom(@Nullable StoredValue present) throws FabricException.Refused {
        if (present == null && byRecord.size() >= settings.values()) {
            throw new FabricException.Refused(
                    Reason.TABLE_FULL,
                    "memory node " + settings.id() + " keeps " + settings.values()
                            + " values already: clear some, or raise declock.memory-node.values");
        }
    }

    private long header(int record) {
        return region.read(layout.header(region.recordAddress(record)));
    }

    private long epochWord(int record) {
        return region.read(layout.epoch(region.recordAddress(record)));
    }

    /** Returns whether a record has a value. */
    boolean has(int record) {
        lock.lock();
        try {
            return byRecord.containsKey(record);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the value of a record that is taken from its name. */
    void forget(int record) {
        lock.lock();
        try {
            byRecord.remove(record);
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many there are. */
    int count() {
        lock.lock();
        try {
            return byRecord.size();
        } finally {
            lock.unlock();
        }
    }
}
