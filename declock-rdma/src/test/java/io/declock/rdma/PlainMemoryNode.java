// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.internal.tcp.server.MemoryNodeServer;
import io.declock.internal.tcp.server.MemoryNodeServerSettings;
import io.declock.spi.ManualTime;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

/** A memory node that serves TCP only. */
final class PlainMemoryNode implements AutoCloseable {
    private final MemoryNode node;
    private final MemoryNodeServer server;

    PlainMemoryNode(ManualTime time) throws IOException {
        node = MemoryNode.create(
                MemoryNodeSettings.builder("plain")
                        .records(64)
                        .queueCapacity(8)
                        .waitOutOldSessions(false)
                        .build(),
                time,
                time,
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(
                node,
                MemoryNodeServerSettings.builder().host("127.0.0.1").port(0).build());
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        node.close();
        server.close();
    }
}
