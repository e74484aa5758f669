// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.AdapterException;
import java.util.Map;

/**
 * Makes direct access to a memory node's region. Implementations are found by {@link java.util.ServiceLoader}, so that this module does not
 * depend on them.
 */
public interface DirectAccessProvider {
    /** Returns the scheme of the memory node addresses with which compute nodes ask for direct access. */
    String scheme();

    /** Returns the memory for the region of the memory node. */
    RegionMemory memory();

    /**
     * Starts to serve.
     *
     * @param node memory node that was made with {@code memory}
     * @param memory result of {@link #memory}
     * @param options settings by name; a missing one has its default
     * @throws AdapterException if direct access is not possible on this machine
     */
    DirectAccess start(MemoryNode node, RegionMemory memory, Map<String, String> options) throws AdapterException;
}
