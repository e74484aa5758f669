// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spi;

import io.declock.MemoryNodeAddress;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A way to reach memory nodes and peers: in-process, TCP, RDMA, or simulated. A fabric reads, writes, swaps, adds and sends;
 * it never decides who holds a lock. Thread-safe.
 */
public interface Fabric extends AutoCloseable {
    /** Returns whether this fabric serves addresses like this one, by its scheme. */
    boolean supports(MemoryNodeAddress address);

    /**
     * Connects and joins.
     *
     * @return completes with the session, or exceptionally with a {@link FabricException}, within the fabric's time-out
     */
    CompletionStage<FabricSession> join(MemoryNodeAddress address, JoinRequest request, SessionListener listener);

    /** Returns the {@code host:port} at which peers reach this process, empty when it does not listen. */
    String peerAddress();

    /** Returns how it is doing beside its sessions, for people: texts and numbers by name. Numbers only grow. */
    default Map<String, Object> details() {
        return Map.of();
    }

    /** Closes every session and listener. */
    @Override
    void close();
}
