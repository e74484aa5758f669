// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.inprocess;

import io.declock.MemoryNodeAddress;
import io.declock.internal.memorynode.MemoryNode;
import io.declock.spi.Fabric;
import io.declock.spi.FabricCounters;
import io.declock.spi.FabricException;
import io.declock.spi.FabricSession;
import io.declock.spi.JoinRequest;
import io.declock.spi.SessionListener;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The fabric to a memory node in the same JVM, addressed as {@code inprocess://<id of the memory node>}. The posting thread executes the
 * verbs. Several compute nodes in one JVM need one instance each. Thread-safe.
 */
public final class InProcessFabric implements Fabric {
    /** Scheme of the addresses it serves. */
    public static final String SCHEME = "inprocess";

    private final MemoryNode node;
    private final FabricCounters counters;
    private final Set<InProcessSession> sessions = ConcurrentHashMap.newKeySet();

    private InProcessFabric(MemoryNode node, FabricCounters counters) {
        this.node = node;
        this.counters = counters;
    }

    /** Makes a fabric for one memory node. The memory node is not closed with it. */
    public static InProcessFabric open(MemoryNode node, FabricCounters counters) {
        return new InProcessFabric(node, counters);
    }

    /** Returns the address it serves. */
    public MemoryNodeAddress address() {
        return new MemoryNodeAddress(SCHEME, node.id(), 0);
    }

    @Override
    public boolean supports(MemoryNodeAddress address) {
        return address.scheme().equals(SCHEME) && address.host().equals(node.id());
    }

    @Override
    public CompletionStage<FabricSession> join(
            MemoryNodeAddress address, JoinRequest request, SessionListener listener) {
        if (!supports(address)) {
            return CompletableFuture.failedStage(
                    new FabricException("there is no memory node " + address + " in this process, only " + address()));
        }
        try {
            InProcessSession session = InProcessSession.join(node, request, listener, counters, sessions::remove);
            sessions.add(session);
            CompletableFuture<FabricSession> joined = new CompletableFuture<>();
            session.whenListed(() -> joined.complete(session), joined::completeExceptionally);
            return joined;
        } catch (FabricException.Refused e) {
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    public String peerAddress() {
        return "";
    }

    @Override
    public void close() {
        sessions.forEach(InProcessSession::close);
    }
}
