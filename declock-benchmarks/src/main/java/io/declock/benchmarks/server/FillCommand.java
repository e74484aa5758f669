// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.server;

import io.declock.LockRequest;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.ComputeNode;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Fills a memory node with names, uses some of the locks, prints figures, and waits for the end of its standard input. */
@Command(name = "fill", hidden = true, description = "Fills a memory node.")
public final class FillCommand implements Callable<Integer>, SessionListener {
    private static final int USED = 1000;

    @Option(names = "--records", required = true)
    private int records;

    @Option(names = "--capacity", required = true)
    private int capacity;

    @Override
    public Integer call() throws Exception {
        MemoryNodeSettings settings = MemoryNodeSettings.builder("bench")
                .records(records)
                .queueCapacity(capacity)
                .recordsPerSession(records)
                .waitOutOldSessions(false)
                .build();
        try (LocalMemoryNode local = new LocalMemoryNode(settings)) {
            fillAndUse(local);
            while (System.in.read() >= 0) {
                // Input is ignored.
            }
        }
        return 0;
    }

    private void fillAndUse(LocalMemoryNode local) throws Exception {
        MemoryNode node = local.node();
        InProcessFabric fabric = InProcessFabric.open(node, new NodeCounters());
        FabricSession session = fabric.join(
                        fabric.address(),
                        new JoinRequest(
                                1, 1, "fill", "", 0, Duration.ofSeconds(10).toNanos()),
                        this)
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        long began = System.nanoTime();
        for (int i = 0; i < records; i++) {
            if (i % 100_000 == 0) {
                session.control().heartbeat();
            }
            session.control()
                    .resolve("default\0lock-" + i)
                    .toCompletableFuture()
                    .join();
        }
        double perSecond = records / ((System.nanoTime() - began) / 1e9);
        session.control().leave();
        int used = use(local);
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        System.out.println("FILLED " + node.status().recordsInUse() + " "
                + node.status().committedBytes() + " " + heap + " " + (long) perSecond + " " + used);
    }

    private int use(LocalMemoryNode local) throws InterruptedException {
        try (ComputeNode locks = local.startComputeNode()) {
            int used = Math.min(USED, records);
            for (int i = 0; i < used; i++) {
                locks.acquire(LockRequest.write("lock-" + (long) i * records / used))
                        .close();
            }
            return used;
        }
    }

    @Override
    public void membershipChanged(Membership membership) {}

    @Override
    public void peerMessage(PeerMessage message) {}

    @Override
    public void reclaimProposed(long round, long[] proposed) {}

    @Override
    public void lost(FabricException cause) {}
}
