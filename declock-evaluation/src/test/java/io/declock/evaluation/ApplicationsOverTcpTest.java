// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.evaluation.FabricRuns.Lock;
import io.declock.evaluation.store.CacheKey;
import io.declock.evaluation.store.CacheLoad;
import io.declock.evaluation.store.CacheWorkload;
import io.declock.evaluation.store.CacheWorkload.Figures;
import io.declock.evaluation.store.ObjectStore;
import io.declock.evaluation.store.StoreHistory;
import io.declock.evaluation.store.StoreObserver;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.tcp.client.TcpFabric;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.protocols.fabric.FabricApplications;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class ApplicationsOverTcpTest {
    private static final int REQUESTS = 60;
    private static final ObjectStore.Settings SMALL = new ObjectStore.Settings(5, 8, 5);

    /** What is done at a memory node. */
    @FunctionalInterface
    private interface Work {
        void at(FabricRuns runs) throws Exception;
    }

    private static void withMemoryNode(int queueCapacity, Work work) throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        MemoryNode node = MemoryNode.create(
                MemoryNodeSettings.builder("mn-1")
                        .records(20_000)
                        .queueCapacity(queueCapacity)
                        .waitOutOldSessions(false)
                        .build(),
                System::nanoTime,
                (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        try (MemoryNodeServer server = start(node);
                FabricRuns runs = new FabricRuns(
                        new MemoryNodeAddress(TcpFabric.SCHEME, "127.0.0.1", server.port()),
                        () -> TcpFabric.open(TcpFabricSettings.DEFAULTS, new NodeCounters()))) {
            work.at(runs);
        } finally {
            node.close();
            timer.shutdownNow();
        }
    }

    private static MemoryNodeServer start(MemoryNode node) throws IOException {
        return MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(0).build());
    }

    /** Records are so small that an object is in several. */
    @ParameterizedTest
    @EnumSource
    void storesObjects(Lock lock) throws Exception {
        withMemoryNode(64, runs -> runs.storesObjects(lock, REQUESTS));
    }

    @ParameterizedTest
    @CsvSource({
        "CAS, false",
        "CAS, true",
        "MCS, false",
        "DSLR, true",
        "SHIFTLOCK, false",
        "SHIFTLOCK, true",
        "ALOCK, true",
        "SOUL, false",
        "SOUL, true",
        "DECLOCK, false",
        "DECLOCK, true"
    })
    void indexesKeys(Lock lock, boolean localLocks) throws Exception {
        withMemoryNode(256, runs -> runs.indexesKeys(lock, localLocks, REQUESTS));
    }

    @Test
    void nodesOfTheIndexMayBeInSeveralRecords() throws Exception {
        withMemoryNode(16, runs -> runs.indexesKeys(Lock.CAS, false, REQUESTS));
    }

    @Test
    void clientsWithoutEndAreStopped() throws Exception {
        CacheLoad load = new CacheWorkload(Figures.CLUSTER_53, 10);
        StoreHistory history = new StoreHistory(load, Figures.CLUSTER_53.valueBytes() / 16);
        AtomicInteger ended = new AtomicInteger();
        withMemoryNode(64, runs -> {
            FabricApplications process = runs.process(0, Lock.CAS, new ObjectStore(SMALL, load, history));
            process.load();
            process.start((client, kind, nanos) -> {
                if (ended.incrementAndGet() == 100) {
                    process.stop();
                }
            });
            process.await();
        });
        history.check();
        assertThat(ended.get()).isBetween(100, 100 + FabricRuns.CLIENTS);
    }

    @Test
    void aClientThatFailsIsHeardOf() throws Exception {
        StoreObserver failing = new StoreObserver() {
            @Override
            public void got(CacheKey key, byte @Nullable [] value, long begun, long ended) {
                throw new IllegalStateException("seen");
            }

            @Override
            public void wrote(long tag, byte @Nullable [] value, long begun, long ended) {}
        };
        CacheLoad load = new CacheWorkload(Figures.CLUSTER_14, 10);
        withMemoryNode(64, runs -> {
            FabricApplications process = runs.process(0, Lock.CAS, new ObjectStore(SMALL, load, failing));
            process.load();
            process.start((client, kind, nanos) -> {});
            assertThatThrownBy(process::await).hasMessageContaining("seen");
        });
    }
}
