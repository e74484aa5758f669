// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import java.util.Map;

/** A way to a memory node's region around its processor, such as RDMA, beside the TCP server. Thread-safe. */
public interface DirectAccess extends AutoCloseable {
    /**
     * Offers the way to a session. The session's {@link DataPlane} is attached when this returns.
     *
     * @throws FabricException.Refused if the session cannot have it; says why
     */
    Offer offer(MemoryNodeSession session) throws FabricException.Refused;

    /**
     * Returns what the acceptance of a session's connection carried, for who cannot read it there. It is of use on that connection only.
     *
     * @throws FabricException.Refused if the session has no connection of this way
     */
    byte[] granted(MemoryNodeSession session) throws FabricException.Refused;

    /** Returns what executes the verbs of sessions that do not use the way; the same agent that serves those who do. */
    RemoteMemory agent();

    /** Returns whether it works. */
    boolean isHealthy();

    /** Returns how it is doing, for people: texts and numbers by name. */
    Map<String, Object> details();

    /** Ends every connection. To be closed after the memory node and its server. */
    @Override
    void close();

    /**
     * Where and how to connect.
     *
     * @param host address
     * @param port port, in the port space of the way
     * @param token what to show there; works once, for this session, while it lives
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from its maker to the wire; nobody compares tokens.
    record Offer(String host, int port, byte[] token) {}
}
