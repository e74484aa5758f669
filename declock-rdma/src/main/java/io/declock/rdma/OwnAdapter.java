// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import io.declock.spi.VerbChain;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory node's adapter, as the memory node's own process uses it. The process has one RDMA connection to itself, so chains are
 * executed in the order of posting. Thread-safe.
 */
final class OwnAdapter implements RemoteMemory, Connection.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(OwnAdapter.class);

    private final ConnectionManager manager;
    private final CompletableFuture<VerbQueue> established = new CompletableFuture<>();
    private volatile @Nullable FabricException failure;

    private OwnAdapter(ConnectionManager manager) {
        this.manager = manager;
    }

    static OwnAdapter connect(ConnectionManager manager, byte[] token, InetSocketAddress target) throws IOException {
        OwnAdapter adapter = new OwnAdapter(manager);
        Connection connection = new Connection(
                manager,
                "the memory node's own adapter",
                new QueueSizes(manager.settings().maxInFlight() * VerbChain.MAX_VERBS, 1),
                Greetings.toMemoryNode(token),
                adapter);
        manager.execute(() -> connection.connect(target));
        Listener.await(
                adapter.established,
                2 * manager.settings().connectTimeout().toMillis(),
                "connecting to its own adapter");
        return adapter;
    }

    @Override
    public void established(Connection connection, byte[] privateData) throws IOException {
        established.complete(VerbQueue.on(connection, manager, Greetings.readGrant(privateData)));
    }

    @Override
    public void ended(Connection connection, FabricException cause) {
        failure = cause;
        if (established.isDone() && !established.isCompletedExceptionally()) {
            if (!manager.isClosed()) {
                LOG.error(
                        "The memory node's own RDMA connection ended, so operations over TCP are no longer executed: {}",
                        cause.getMessage());
            }
            established.join().fail(cause);
        } else {
            established.completeExceptionally(new IOException(cause.getMessage(), cause));
        }
    }

    boolean isUp() {
        return failure == null;
    }

    @Override
    public void post(VerbChain chain) {
        established.join().post(chain);
    }
}
