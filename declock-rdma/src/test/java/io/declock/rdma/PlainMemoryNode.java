// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.MemoryNode;
import io.declock.internal.memorynode.MemoryNodeServer;
import io.declock.internal.memorynode.MemoryNodeServerSettings;
import io.declock.internal.memorynode.MemoryNodeSettings;
import io.declock.spi.ManualTime;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

/** A memory node that serves TCP only. */
final class PlainMemoryNode implements AutoCloseable {
    private final MemoryNode node;
    private final MemoryNodeServer server;

    PlainMemoryNode(ManualTime time) throws IOException {
        node = MemoryNode.create(
                MemoryNodeSettings.withId("plain").withSize(64, 8).withWaitOutOldSessions(false),
                time,
                time,
                () -> ThreadLocalRandom.current().nextLong());
        server = MemoryNodeServer.start(node, MemoryNodeServerSettings.DEFAULTS.withAddress("127.0.0.1", 0));
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
