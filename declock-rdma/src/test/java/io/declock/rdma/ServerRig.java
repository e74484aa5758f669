// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.spi.JoinRequest;
import io.declock.spi.ManualTime;
import io.declock.spi.RecordingListener;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** A memory node that serves RDMA on objects of DiSNI's API with nothing behind them, connected to its own adapter. */
final class ServerRig implements AutoCloseable {
    final LoopbackEvents backend = new LoopbackEvents();
    final ManagerRig rig;
    final MemoryNode node;
    final RdmaServer server;

    ServerRig() throws Exception {
        rig = new ManagerRig(backend);
        ManualTime time = new ManualTime();
        RdmaMemory memory = new RdmaMemory();
        node = MemoryNode.create(
                MemoryNodeSettings.builder("mn-1")
                        .records(64)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                time,
                time,
                () -> ThreadLocalRandom.current().nextLong(),
                memory);
        server = new RdmaServer(node, memory, rig.manager, 0);
    }

    /** A process joins. */
    MemoryNodeSession join(long process) throws Exception {
        return node.join(
                new JoinRequest(process, 1, "test", "", 0, Duration.ofSeconds(3).toNanos()), new RecordingListener());
    }

    @Override
    public void close() {
        node.close();
        server.close();
    }
}
