// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.nio.ByteBuffer;

/**
 * The source of a region's memory if an adapter is to access it. That adapter executes all verbs on the region ({@link
 * RdmaAccess#adapter}), because its atomics and those of a processor are not atomic with respect to each other. The memory node's own code
 * only stores to records that no compute node can address yet, and loads single words.
 */
public interface RegionMemory {
    /**
     * Reserves the memory. Called once, before the first call of {@link #segment}.
     *
     * @param segments number of segments of the region, which are adjacent in its range of addresses
     * @param segmentBytes size of each
     * @throws OutOfMemoryError if there is not enough
     */
    void reserve(int segments, int segmentBytes);

    /** Returns a segment, filled with zeros, aligned to 64 bytes, and always at the same place. */
    ByteBuffer segment(int index);
}
