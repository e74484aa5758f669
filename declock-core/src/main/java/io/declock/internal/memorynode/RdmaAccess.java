// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.rdma.RdmaOffer;
import io.declock.spi.FabricException;
import io.declock.spi.RemoteMemory;
import java.util.Map;
import java.util.function.Consumer;

/** Access to a memory node's region by RDMA, without its processor, beside the TCP server. Thread-safe. */
public interface RdmaAccess extends AutoCloseable {
    /**
     * Offers a session an RDMA connection. The last one that it had is ended before: none of its verbs is executed after the offer (rule G1).
     * One of the consumers is called, once, perhaps later and on another thread.
     *
     * @param offered receives the offer; the session's {@link DataPlane} is attached then
     * @param refused receives why the session cannot have one
     */
    void offer(MemoryNodeSession session, Consumer<RdmaOffer> offered, Consumer<FabricException.Refused> refused);

    /**
     * Returns the data that the acceptance of a session's connection carried, for a compute node whose library does not show it. The data
     * is valid on that connection only.
     *
     * @throws FabricException.Refused if the session has no RDMA connection
     */
    byte[] granted(MemoryNodeSession session) throws FabricException.Refused;

    /** Returns the adapter, for the verbs of sessions over TCP: whoever posts a verb on this region, the adapter executes it. */
    RemoteMemory adapter();

    /** Returns whether the access works. */
    boolean isHealthy();

    /** Returns details for people: texts and numbers by name. */
    Map<String, Object> details();

    /** Ends every connection. Must be closed after the memory node and its server. */
    @Override
    void close();
}
