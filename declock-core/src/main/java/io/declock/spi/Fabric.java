// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.MemoryNodeAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Connects a process to memory nodes and peers: in-process, over TCP, over RDMA, or simulated. A fabric executes verbs and sends messages;
 * it never decides which compute node holds a lock. Thread-safe.
 */
public interface Fabric extends AutoCloseable {
    /**
     * {@return whether this fabric serves addresses with this address's scheme}
     *
     * @param address where a memory node is
     */
    boolean supports(MemoryNodeAddress address);

    /**
     * Connects and joins.
     *
     * @param address where the memory node is
     * @param request what this compute node says
     * @param listener told what happens in the session
     * @return completes with the session, or exceptionally with a {@link FabricException}, within the fabric's time-out
     */
    CompletionStage<FabricSession> join(MemoryNodeAddress address, JoinRequest request, SessionListener listener);

    /** {@return the {@code host:port} at which peers reach this process, empty when it does not listen} */
    String peerAddress();

    /** {@return details that belong to no session, for people: texts and numbers by name} Numbers only grow. */
    default Map<String, Object> details() {
        return Map.of();
    }

    /**
     * {@return the longest time for which work had to wait for one of the fabric's event loops in the last half or whole minute} Zero if it has
     * none.
     */
    default Duration eventLoopLag() {
        return Duration.ZERO;
    }

    /** Closes every session and listener. */
    @Override
    void close();
}
