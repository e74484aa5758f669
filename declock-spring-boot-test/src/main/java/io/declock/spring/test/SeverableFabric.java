// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.test;

import io.declock.MemoryNodeAddress;
import io.declock.internal.inprocess.InProcessFabric;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The application's fabric to its private memory node, from which a test can cut it off. Thread-safe. */
final class SeverableFabric implements Fabric {
    private final MemoryNode node;
    private final FabricCounters counters;
    /** The present way to the memory node, null while there is none. */
    private final AtomicReference<@Nullable InProcessFabric> way;

    SeverableFabric(MemoryNode node, FabricCounters counters) {
        this.node = node;
        this.counters = counters;
        this.way = new AtomicReference<>(InProcessFabric.open(node, counters));
    }

    boolean isSevered() {
        return way.get() == null;
    }

    /** Ends the sessions and refuses further ones. */
    void sever() {
        InProcessFabric before = way.getAndSet(null);
        if (before != null) {
            before.close();
        }
    }

    /** Lets the application join again; returns false if it could. */
    boolean restore() {
        return way.compareAndSet(null, InProcessFabric.open(node, counters));
    }

    @Override
    public boolean supports(MemoryNodeAddress address) {
        return address.scheme().equals(InProcessFabric.SCHEME) && address.host().equals(node.id());
    }

    @Override
    public CompletionStage<FabricSession> join(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        InProcessFabric present = way.get();
        if (present == null) {
            return CompletableFuture.failedStage(
                    new FabricException("the test has made the memory node unavailable (TestLocks.unavailable)"));
        }
        return present.join(address, request, listener).thenApply(session -> {
            if (way.get() != present) {
                // It was severed while this session began.
                session.close();
            }
            return session;
        });
    }

    @Override
    public String peerAddress() {
        return "";
    }

    @Override
    public void close() {
        InProcessFabric present = way.get();
        if (present != null) {
            present.close();
        }
    }
}
