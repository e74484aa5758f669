// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability;

import io.declock.MemoryNodeAddress;
import io.declock.TcpFabricSettings;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.node.NodeListPublisher;
import io.declock.internal.tcp.client.TcpFabric;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** What the memory node's program does for {@code nodes add}, in this process. For one thread. */
final class NodeLists implements AutoCloseable {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final TcpFabric fabric =
            TcpFabric.open(TcpFabricSettings.builder().listen(false).build(), new NodeCounters());
    private final NodeListPublisher publisher = new NodeListPublisher(
            fabric,
            System::nanoTime,
            (delay, task) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
            new SecureRandom().nextLong(),
            step -> {});

    /** Joins a memory node. */
    NodeLists(String address) throws Exception {
        publisher.join(List.of(MemoryNodeAddress.parse(address)));
    }

    NodeListPublisher publisher() {
        return publisher;
    }

    @Override
    public void close() {
        publisher.close();
        fabric.close();
        timer.shutdownNow();
    }
}
