// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import java.util.Map;

/** Direct access to a memory node's region without its processor, for example by RDMA, beside the TCP server. Thread-safe. */
public interface DirectAccess extends AutoCloseable {
    /**
     * Offers direct access to a session. The session's {@link DataPlane} is attached when this method returns.
     *
     * @throws FabricException.Refused if the session cannot have it; the message says why
     */
    Offer offer(MemoryNodeSession session) throws FabricException.Refused;

    /**
     * Returns the data that the acceptance of a session's connection carried, for a compute node whose library does not show it. The data
     * is valid on that connection only.
     *
     * @throws FabricException.Refused if the session has no direct connection
     */
    byte[] granted(MemoryNodeSession session) throws FabricException.Refused;

    /** Returns the agent that executes the verbs of sessions without direct access; it also serves the sessions with direct access. */
    RemoteMemory agent();

    /** Returns whether it works. */
    boolean isHealthy();

    /** Returns details for people: texts and numbers by name. */
    Map<String, Object> details();

    /** Ends every connection. Must be closed after the memory node and its server. */
    @Override
    void close();

    /**
     * The address and the token for a direct connection.
     *
     * @param host address
     * @param port port, in the port space of the direct connections
     * @param token token to present there; valid once, for this session, while the session lives
     */
    @SuppressWarnings("ArrayRecordComponent") // Goes from its maker to the wire; tokens are never compared.
    record Offer(String host, int port, byte[] token) {}
}
