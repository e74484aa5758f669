// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.peer;

import io.declock.MemoryNodeAddress;
import io.declock.internal.monitor.NodeCounters;
import io.declock.protocols.application.Application;
import io.declock.protocols.fabric.FabricApplications;
import io.declock.protocols.fabric.FabricApplications.Participant;
import io.declock.spi.Fabric;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One process's clients of an application, over DecLock or a lock of the literature, on one fabric: data and locks of DecLock have sessions of their own on the same event loop. Thread-safe. */
public final class ApplicationsUnderTest implements AutoCloseable {
    private static final Duration SESSION = Duration.ofSeconds(10);

    private final NodeCounters counters = new NodeCounters();
    private final Fabric fabric;
    private final @Nullable DecLockPeer locks;
    private final FabricApplications clients;

    private ApplicationsUnderTest(
            Peer peer, Application application, String address, int index, int count, Tuning tuning)
            throws InterruptedException {
        Participant process = new Participant("bench-" + index, SESSION, index * count, count);
        MemoryNodeAddress memoryNode = MemoryNodeAddress.parse(address);
        fabric = tuning.openFabric(counters);
        locks = peer == Peer.DECLOCK ? DecLockPeer.beside(address, "locks-" + index, tuning, fabric, counters) : null;
        clients = locks == null
                ? FabricApplications.join(LiteraturePeer.protocol(peer), application, fabric, memoryNode, process)
                : FabricApplications.join(locks.node(), application, fabric, memoryNode, process);
    }

    /**
     * Joins the memory node.
     *
     * @param index index of this process, from 0
     * @param count number of its clients
     */
    public static ApplicationsUnderTest joined(
            Peer peer, Application application, String address, int index, int count, Tuning tuning)
            throws InterruptedException {
        return new ApplicationsUnderTest(peer, application, address, index, count, tuning);
    }

    /** Returns the clients. */
    public FabricApplications clients() {
        return clients;
    }

    /** Returns the counters of locks and data together. */
    public Map<String, Long> counters() {
        return DecLockPeer.counters(counters);
    }

    @Override
    public void close() {
        clients.close();
        if (locks != null) {
            locks.close();
        }
        fabric.close();
    }
}
