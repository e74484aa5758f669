// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import io.declock.MemoryNodeAddress;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import io.declock.spring.autoconfigure.FabricFactory;
import io.declock.spring.autoconfigure.test.ApplicationNode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/** Opens the application's fabric to its private memory node, ahead of the application's own one. Thread-safe. */
final class SeverableFabricFactory implements FabricFactory, Ordered {
    private final ApplicationNode application;
    /** That of the running compute node, null if there is no private memory node. */
    private volatile @Nullable SeverableFabric opened;

    SeverableFabricFactory(ApplicationNode application) {
        this.application = application;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public Fabric open(FabricCounters counters) {
        MemoryNode node = application.privateMemoryNode();
        SeverableFabric fabric = node == null ? null : new SeverableFabric(node, counters);
        opened = fabric;
        return fabric == null ? new NoFabric() : fabric;
    }

    boolean isSevered() {
        SeverableFabric fabric = opened;
        return fabric != null && fabric.isSevered();
    }

    /**
     * Checks that there is a way to sever.
     *
     * @throws IllegalStateException if there is none
     */
    void requireConnected() {
        application.running();
        SeverableFabric fabric = opened;
        if (fabric == null) {
            throw new IllegalStateException(
                    "The application's memory nodes are not private to this test, so the test cannot"
                            + " make them unavailable. Stop them instead, for example their container.");
        }
        if (fabric.isSevered()) {
            throw new IllegalStateException("The memory node is unavailable already");
        }
    }

    void sever() {
        SeverableFabric fabric = opened;
        if (fabric != null) {
            fabric.sever();
        }
    }

    boolean restore() {
        SeverableFabric fabric = opened;
        return fabric != null && fabric.restore();
    }

    /** The memory nodes are not private, and other fabrics serve them. */
    private static final class NoFabric implements Fabric {
        @Override
        public boolean supports(MemoryNodeAddress address) {
            return false;
        }

        @Override
        public CompletionStage<FabricSession> join(
                MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
            return CompletableFuture.failedStage(new IllegalStateException("it serves no address"));
        }

        @Override
        public String peerAddress() {
            return "";
        }

        @Override
        public void close() {}
    }
}
