// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.nio.ByteBuffer;

/**
 * Where a region's memory comes from when an adapter is to reach it. All verbs on such a region are executed by that adapter
 * ({@link DirectAccess#agent}), because its atomics and those of a processor are not atomic against each other; the memory node's
 * own code only stores to records that nobody can address yet, and loads single words.
 */
public interface RegionMemory {
    /**
     * Called once, before any segment is asked for.
     *
     * @param segments how many segments the region has, adjacent in its range of addresses
     * @param segmentBytes size of each
     * @throws OutOfMemoryError if there is not enough
     */
    void reserve(int segments, int segmentBytes);

    /** Returns a segment, filled with zeros, aligned to 64 bytes, and always at the same place. */
    ByteBuffer segment(int index);
}
