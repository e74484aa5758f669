// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.evaluation.FabricRuns;
import io.declock.evaluation.FabricRuns.Lock;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The object store and the index by RDMA, in two processes' worth of clients. What they read is checked as over TCP. */
@Timeout(180)
class RdmaApplicationsIT {
    private static final int REQUESTS = 20;

    /** What is done at a memory node. */
    @FunctionalInterface
    private interface Work {
        void at(FabricRuns runs);
    }

    private static void withMemoryNode(int queueCapacity, Work work) throws Exception {
        MemoryNodeSettings settings = MemoryNodeSettings.builder("mn-1")
                .records(4_000)
                .queueCapacity(queueCapacity)
                .waitOutOldSessions(false)
                .build();
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        RdmaRig rig = new RdmaRig(
                settings,
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                RdmaFabric.SCHEME,
                RdmaRig::open);
        try (FabricRuns runs = new FabricRuns(rig.address(), () -> rig.openFabric(new NodeCounters()))) {
            work.at(runs);
        } finally {
            rig.close();
            timer.shutdownNow();
        }
    }

    /** Records are so small that an object is in several. */
    @ParameterizedTest
    @EnumSource(names = {"CAS", "SOUL", "DECLOCK"})
    void storesObjects(Lock lock) throws Exception {
        withMemoryNode(64, runs -> runs.storesObjects(lock, REQUESTS));
    }

    @ParameterizedTest
    @EnumSource(names = {"DSLR", "DECLOCK"})
    void indexesKeys(Lock lock) throws Exception {
        withMemoryNode(256, runs -> runs.indexesKeys(lock, true, REQUESTS));
    }
}
