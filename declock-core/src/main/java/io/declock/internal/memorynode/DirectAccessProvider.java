// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.spi.AdapterException;
import java.util.Map;

/**
 * Makes a way around a memory node's processor. Implementations are found by {@link java.util.ServiceLoader}, so that nothing here
 * depends on them.
 */
public interface DirectAccessProvider {
    /** Returns the scheme of the addresses that compute nodes write to use the way. */
    String scheme();

    /** Returns where the region of the memory node is to lie. */
    RegionMemory memory();

    /**
     * Starts to serve.
     *
     * @param node made with {@code memory}
     * @param memory what {@link #memory} returned
     * @param options settings by name; what is missing has its default
     * @throws AdapterException if that is not possible here
     */
    DirectAccess start(MemoryNode node, RegionMemory memory, Map<String, String> options) throws AdapterException;
}
