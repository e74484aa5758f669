// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.RecordLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Settings of a memory node.
 *
 * @param id stable id, the same after every start; the ids decide which memory node a name lives on
 * @param records lock records the region holds, one per name in use
 * @param queueCapacity entries per lock record, a power of two; also the largest number of joined compute nodes (at most 255)
 * @param recordsPerSession most records that one session may have created and that were not reclaimed, 0 for nine tenths of all: enough for
 *     one service, and it leaves room for the others if the service keeps using new names
 * @param maxLease longest lease granted, at most {@code formerLease}
 * @param formerLease longest lease that an earlier life of this memory node can have granted; a start with empty memory waits for it. It
 *     does not follow {@code maxLease}: a lower {@code maxLease} must not shorten the wait below leases that were granted before
 * @param leaseMargin how much longer than a lease this memory node waits before it declares a compute node dead
 * @param waitOutOldSessions whether joins are refused after the start until the longest lease has run out, because compute nodes of an
 *     earlier life may still hold locks. May be false only for a memory node that cannot have had an earlier life.
 * @param nodeSetDigest digest of the ids of the memory nodes that are used together, 0 to take it over from the first compute node that
 *     joins
 * @param reclaimInterval how long a record must have been idle before it is proposed for reclaiming, zero for never
 * @param preallocate whether the whole region takes its memory at the start instead of on demand
 * @param secondsSince2025 wall clock, for the full epoch only
 */
public record MemoryNodeSettings(
        String id,
        int records,
        int queueCapacity,
        int recordsPerSession,
        Duration maxLease,
        Duration formerLease,
        Duration leaseMargin,
        boolean waitOutOldSessions,
        long nodeSetDigest,
        Duration reclaimInterval,
        boolean preallocate,
        LongSupplier secondsSince2025) {
    /** The default of both {@code maxLease} and {@code formerLease}. */
    public static final Duration LONGEST_LEASE = Duration.ofSeconds(10);

    /** Longest id in characters. */
    public static final int MAX_ID_LENGTH = 64;

    private static final long EPOCH_SECOND_2025 =
            Instant.parse("2025-01-01T00:00:00Z").getEpochSecond();

    /** Checks the values. */
    public MemoryNodeSettings {
        if (id.isEmpty() || id.length() > MAX_ID_LENGTH) {
            throw new IllegalArgumentException(
                    "the id of a memory node must have 1 to " + MAX_ID_LENGTH + " characters: '" + id + "'");
        }
        if (records < 1) {
            throw new IllegalArgumentException("a memory node needs at least one record: " + records);
        }
        if (recordsPerSession < 0) {
            throw new IllegalArgumentException("recordsPerSession must not be negative: " + recordsPerSession);
        }
        if (maxLease.compareTo(formerLease) > 0) {
            throw new IllegalArgumentException(
                    "maxLease of " + maxLease + " is longer than formerLease of " + formerLease
                            + ", the longest that this memory node's next life will wait for: raise formerLease, and leave it"
                            + " raised when you lower maxLease again");
        }
        if (maxLease.isZero() || maxLease.isNegative() || leaseMargin.isNegative() || reclaimInterval.isNegative()) {
            throw new IllegalArgumentException(
                    "maxLease must be positive, leaseMargin and reclaimInterval not negative: " + maxLease + ", "
                            + leaseMargin + ", " + reclaimInterval);
        }
    }

    /** Returns the defaults: 100,000 records of capacity 64 (57.6 MB if all are used), leases up to 10 s. */
    public static MemoryNodeSettings withId(String id) {
        return new MemoryNodeSettings(
                id,
                100_000,
                RecordLayout.DEFAULT_CAPACITY,
                0,
                LONGEST_LEASE,
                LONGEST_LEASE,
                Duration.ofMillis(500),
                true,
                0,
                Duration.ofSeconds(60),
                false,
                () -> System.currentTimeMillis() / 1000 - EPOCH_SECOND_2025);
    }

    /** Returns these settings with another number of records and queue capacity. */
    public MemoryNodeSettings withSize(int records, int queueCapacity) {
        return with(draft -> {
            draft.records = records;
            draft.queueCapacity = queueCapacity;
        });
    }

    /** Returns these settings with another bound on the records that one session creates, 0 for nine tenths of all. */
    public MemoryNodeSettings withRecordsPerSession(int recordsPerSession) {
        return with(draft -> draft.recordsPerSession = recordsPerSession);
    }

    /** Returns these settings with another longest lease and margin. */
    public MemoryNodeSettings withLease(Duration maxLease, Duration leaseMargin) {
        return with(draft -> {
            draft.maxLease = maxLease;
            draft.leaseMargin = leaseMargin;
        });
    }

    /** Returns these settings with another longest lease, longest lease of an earlier life, and margin. */
    public MemoryNodeSettings withLeases(Duration maxLease, Duration formerLease, Duration leaseMargin) {
        return with(draft -> {
            draft.maxLease = maxLease;
            draft.formerLease = formerLease;
            draft.leaseMargin = leaseMargin;
        });
    }

    /** Returns these settings with another longest lease of an earlier life. */
    public MemoryNodeSettings withFormerLease(Duration formerLease) {
        return with(draft -> draft.formerLease = formerLease);
    }

    /** Returns these settings with or without waiting for sessions of an earlier life. */
    public MemoryNodeSettings withWaitOutOldSessions(boolean waitOutOldSessions) {
        return with(draft -> draft.waitOutOldSessions = waitOutOldSessions);
    }

    /** Returns these settings with another digest of the node set. */
    public MemoryNodeSettings withNodeSetDigest(long nodeSetDigest) {
        return with(draft -> draft.nodeSetDigest = nodeSetDigest);
    }

    /** Returns these settings with another reclaim interval. */
    public MemoryNodeSettings withReclaimInterval(Duration reclaimInterval) {
        return with(draft -> draft.reclaimInterval = reclaimInterval);
    }

    /** Returns these settings with or without taking all memory at the start. */
    public MemoryNodeSettings withPreallocate(boolean preallocate) {
        return with(draft -> draft.preallocate = preallocate);
    }

    /** Returns these settings with another wall clock. */
    public MemoryNodeSettings withWallClock(LongSupplier secondsSince2025) {
        return with(draft -> draft.secondsSince2025 = secondsSince2025);
    }

    /** Returns how many records one session may have created, with the default resolved. */
    public int mostRecordsPerSession() {
        return recordsPerSession == 0 ? records - records / 10 : Math.min(recordsPerSession, records);
    }

    /** Returns the most compute nodes that can be joined at once. */
    public int maxComputeNodes() {
        return Math.min(LockHeader.MAX_NODE_ID, queueCapacity);
    }

    private MemoryNodeSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.settled();
    }

    /** A mutable copy of the settings. */
    private static final class Draft {
        private final String id;
        private int records;
        private int queueCapacity;
        private int recordsPerSession;
        private Duration maxLease;
        private Duration formerLease;
        private Duration leaseMargin;
        private boolean waitOutOldSessions;
        private long nodeSetDigest;
        private Duration reclaimInterval;
        private boolean preallocate;
        private LongSupplier secondsSince2025;

        Draft(MemoryNodeSettings from) {
            id = from.id;
            records = from.records;
            queueCapacity = from.queueCapacity;
            recordsPerSession = from.recordsPerSession;
            maxLease = from.maxLease;
            formerLease = from.formerLease;
            leaseMargin = from.leaseMargin;
            waitOutOldSessions = from.waitOutOldSessions;
            nodeSetDigest = from.nodeSetDigest;
            reclaimInterval = from.reclaimInterval;
            preallocate = from.preallocate;
            secondsSince2025 = from.secondsSince2025;
        }

        MemoryNodeSettings settled() {
            return new MemoryNodeSettings(
                    id,
                    records,
                    queueCapacity,
                    recordsPerSession,
                    maxLease,
                    formerLease,
                    leaseMargin,
                    waitOutOldSessions,
                    nodeSetDigest,
                    reclaimInterval,
                    preallocate,
                    secondsSince2025);
        }
    }
}
