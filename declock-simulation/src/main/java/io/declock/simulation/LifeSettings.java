// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import static io.declock.simulation.MemoryNodeClock.paced;

import io.declock.internal.layout.QueueEntry;
import io.declock.internal.memorynode.MemoryNodeSettings;
import java.time.Duration;

/** Makes the settings of a memory node's life from the options of the run. */
final class LifeSettings {
    private static final long FIRST_EPOCH = (1 << 14) - 3;
    private static final int SPARE_RECORDS = 8;

    private final SimulationOptions options;
    private final SimulatedWorld world;

    LifeSettings(SimulationOptions options, SimulatedWorld world) {
        this.options = options;
        this.world = world;
    }

    /**
     * Returns the settings of a life that begins now.
     *
     * @param id under which the memory node lives
     * @param livedBefore whether it may have sessions of an earlier life
     */
    MemoryNodeSettings of(String id, boolean livedBefore) {
        SimulationOptions.Cluster limits = options.cluster();
        Duration lease = Duration.ofNanos(paced(limits.lease()));
        SimulationOptions.Wiring wiring = options.wiring();
        int records = wiring.records() > 0 ? wiring.records() : limits.locks() + SPARE_RECORDS;
        long started = world.now();
        return MemoryNodeSettings.builder(id)
                .records(records)
                .queueCapacity(limits.capacity())
                .maxComputeNodes(nodeIds())
                .recordsPerSession(records)
                .maxLease(lease)
                .formerLease(lease)
                .leaseMargin(Duration.ofNanos(paced(limits.leaseMargin())))
                .waitOutOldSessions(livedBefore)
                .reclaimInterval(Duration.ofNanos(paced(wiring.reclaimInterval())))
                .secondsSince2025(() -> seconds(started))
                .build();
    }

    /** Returns the seconds since 2025. A memory node in its first life starts at the same instant in every run. */
    private long seconds(long started) {
        long second = options.outages().second();
        return FIRST_EPOCH - 1 + (started == 0 ? 0 : world.now() / second);
    }

    /** Returns how many node ids there are: hardly more than compute nodes, so that ids are used again. */
    private int nodeIds() {
        SimulationOptions.Cluster limits = options.cluster();
        int least = limits.admitAll() ? limits.computeNodes() : 0;
        int ids = Math.max(limits.capacity(), least <= 2 ? 2 : Integer.highestOneBit(least - 1) * 2);
        return Math.min(ids, QueueEntry.MAX_NODE_ID);
    }
}
