// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.InvalidSettingException;
import io.declock.SettingChecks;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.NodeSet;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * Settings of a memory node.
 *
 * @param id stable id, the same after every start; the ids decide which memory node a name lives on
 * @param records lock records the region holds, one per name in use
 * @param queueCapacity entries per lock record, a power of two: so many compute nodes wait for one lock at no cost; more of them wait by asking
 *     from time to time
 * @param maxComputeNodes most compute nodes that can be joined at once, at most 4,095
 * @param recordsPerSession most records that one session may have created and that were not reclaimed, 0 for nine tenths of all: enough for
 *     one service, and it leaves room for the others if the service keeps using new names
 * @param values most values of guarded locks, of up to 1,024 bytes each
 * @param maxLease longest lease granted, at least 50 ms and at most {@code formerLease}
 * @param formerLease longest lease that an earlier life of this memory node can have granted; a start with empty memory waits for it. It
 *     does not follow {@code maxLease}: a lower {@code maxLease} must not shorten the wait below leases that were granted before
 * @param leaseMargin how much longer than a lease this memory node waits before it declares a compute node dead
 * @param waitOutOldSessions whether joins are refused after the start until the longest lease has run out, because compute nodes of an
 *     earlier life may still hold locks. May be false only for a memory node that cannot have had an earlier life.
 * @param nodeSet the memory nodes that are used together, {@link NodeSet#NONE} to take them over from the first compute node that
 *     declares them
 * @param reclaimInterval how long a record must have been idle before it is proposed for reclaiming, zero for never
 * @param preallocate whether the whole region takes its memory at the start instead of on demand
 * @param failOver how long the fail-over to a stand-by takes, zero for no stand-by; a compute node with a shorter lease is named in the log
 * @param secondsSince2025 wall clock, for the full epoch only
 */
public record MemoryNodeSettings(
        String id,
        int records,
        int queueCapacity,
        int maxComputeNodes,
        int recordsPerSession,
        int values,
        Duration maxLease,
        Duration formerLease,
        Duration leaseMargin,
        boolean waitOutOldSessions,
        NodeSet nodeSet,
        Duration reclaimInterval,
        boolean preallocate,
        Duration failOver,
        LongSupplier secondsSince2025) {
    /** The default of both {@code maxLease} and {@code formerLease}. */
    public static final Duration LONGEST_LEASE = Duration.ofSeconds(10);

    /** The shortest lease that is granted, even if a shorter one was asked for: no heartbeat could renew a shorter one in time. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(50);

    /** Longest id in characters. */
    public static final int MAX_ID_LENGTH = 64;

    private static final long EPOCH_SECOND_2025 =
            Instant.parse("2025-01-01T00:00:00Z").getEpochSecond();

    /** Checks the values. */
    public MemoryNodeSettings {
        if (id.isEmpty() || id.length() > MAX_ID_LENGTH) {
            throw new InvalidSettingException(
                    "id", id, "it must have 1 to " + MAX_ID_LENGTH + " characters", "Choose another one.");
        }
        SettingChecks.atLeast("records", records, 1);
        SettingChecks.powerOfTwo("queueCapacity", queueCapacity, 2, RecordLayout.MAX_CAPACITY);
        SettingChecks.between("maxComputeNodes", maxComputeNodes, 1, QueueEntry.MAX_NODE_ID);
        SettingChecks.atLeast("recordsPerSession", recordsPerSession, 0);
        SettingChecks.atLeast("values", values, 0);
        SettingChecks.positive("maxLease", maxLease);
        SettingChecks.atLeast("maxLease", maxLease, SHORTEST_LEASE);
        SettingChecks.notNegative("leaseMargin", leaseMargin);
        SettingChecks.notNegative("reclaimInterval", reclaimInterval);
        if (maxLease.compareTo(formerLease) > 0) {
            throw new InvalidSettingException(
                    "maxLease",
                    SettingChecks.text(maxLease),
                    "it is longer than {formerLease}, which is " + SettingChecks.text(formerLease)
                            + " and the longest that this memory node's next life will wait for",
                    "Raise {formerLease}, and leave it raised when you lower {maxLease} again.");
        }
    }

    /** Returns a builder that begins with the defaults: 100,000 records of capacity 64 (57.6 MB if all are used), leases up to 10 s. */
    public static Builder builder(String id) {
        return new Builder(id);
    }

    /** Returns how many records one session may have created, with the default resolved. */
    public int mostRecordsPerSession() {
        return recordsPerSession == 0 ? records - records / 10 : Math.min(recordsPerSession, records);
    }

    /** Builds MemoryNodeSettings; what is not set has its default. Not thread-safe. */
    public static final class Builder {
        private final String id;
        private int records = 100_000;
        private int queueCapacity = RecordLayout.DEFAULT_CAPACITY;
        private int maxComputeNodes = QueueEntry.MAX_NODE_ID;
        private int recordsPerSession;
        private int values = 10_000;
        private Duration maxLease = LONGEST_LEASE;
        private Duration formerLease = LONGEST_LEASE;
        private Duration leaseMargin = Duration.ofMillis(500);
        private boolean waitOutOldSessions = true;
        private NodeSet nodeSet = NodeSet.NONE;
        private Duration reclaimInterval = Duration.ofSeconds(60);
        private boolean preallocate;
        private Duration failOver = Duration.ZERO;
        private LongSupplier secondsSince2025 = () -> System.currentTimeMillis() / 1000 - EPOCH_SECOND_2025;

        private Builder(String id) {
            this.id = id;
        }

        /** Sets {@link MemoryNodeSettings#records}. */
        public Builder records(int records) {
            this.records = records;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#queueCapacity}. */
        public Builder queueCapacity(int queueCapacity) {
            this.queueCapacity = queueCapacity;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#maxComputeNodes}. */
        public Builder maxComputeNodes(int maxComputeNodes) {
            this.maxComputeNodes = maxComputeNodes;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#recordsPerSession}. */
        public Builder recordsPerSession(int recordsPerSession) {
            this.recordsPerSession = recordsPerSession;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#values}. */
        public Builder values(int values) {
            this.values = values;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#maxLease}. */
        public Builder maxLease(Duration maxLease) {
            this.maxLease = maxLease;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#formerLease}. */
        public Builder formerLease(Duration formerLease) {
            this.formerLease = formerLease;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#leaseMargin}. */
        public Builder leaseMargin(Duration leaseMargin) {
            this.leaseMargin = leaseMargin;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#waitOutOldSessions}. */
        public Builder waitOutOldSessions(boolean waitOutOldSessions) {
            this.waitOutOldSessions = waitOutOldSessions;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#nodeSet}. */
        public Builder nodeSet(NodeSet nodeSet) {
            this.nodeSet = nodeSet;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#reclaimInterval}. */
        public Builder reclaimInterval(Duration reclaimInterval) {
            this.reclaimInterval = reclaimInterval;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#preallocate}. */
        public Builder preallocate(boolean preallocate) {
            this.preallocate = preallocate;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#failOver}. */
        public Builder failOver(Duration failOver) {
            this.failOver = failOver;
            return this;
        }

        /** Sets {@link MemoryNodeSettings#secondsSince2025}. */
        public Builder secondsSince2025(LongSupplier secondsSince2025) {
            this.secondsSince2025 = secondsSince2025;
            return this;
        }

        /**
         * Builds the settings.
         *
         * @throws InvalidSettingException if a value cannot work
         */
        public MemoryNodeSettings build() {
            return new MemoryNodeSettings(
                    id,
                    records,
                    queueCapacity,
                    maxComputeNodes,
                    recordsPerSession,
                    values,
                    maxLease,
                    formerLease,
                    leaseMargin,
                    waitOutOldSessions,
                    nodeSet,
                    reclaimInterval,
                    preallocate,
                    failOver,
                    secondsSince2025);
        }
    }
}
