// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.AdapterException;
import java.util.Map;

/**
 * Gives access to a memory node's region by RDMA. The implementation is found by {@link java.util.ServiceLoader}, so that this module does not
 * depend on them.
 */
public interface RdmaAccessProvider {
    /** Returns the memory for the region of the memory node. */
    RegionMemory memory();

    /**
     * Starts to serve.
     *
     * @param node memory node that was made with {@code memory}
     * @param memory result of {@link #memory}
     * @param options settings by name; a missing one has its default
     * @throws AdapterException if RDMA is not possible on this machine
     */
    RdmaAccess start(MemoryNode node, RegionMemory memory, Map<String, String> options) throws AdapterException;
}
