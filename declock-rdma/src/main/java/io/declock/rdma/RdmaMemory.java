// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import io.declock.internal.memorynode.RegionMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A memory node's region as one piece of memory that can be registered; it exists as long as it is referenced. Thread-safe. */
public final class RdmaMemory implements RegionMemory {
    private static final int PAGE = 4096;

    // Set once, before the memory node is used.
    private volatile MemorySegment memory = MemorySegment.NULL;
    private volatile int segmentBytes;

    /** Makes an empty region; {@link #reserve} allocates its memory. */
    public RdmaMemory() {}

    @Override
    public void reserve(int segments, int segmentBytes) {
        this.segmentBytes = segmentBytes;
        this.memory = Arena.ofAuto().allocate((long) segments * segmentBytes, PAGE);
    }

    @Override
    public ByteBuffer segment(int index) {
        return memory.asSlice((long) index * segmentBytes, segmentBytes).asByteBuffer();
    }

    long address() {
        return memory.address();
    }

    long bytes() {
        return memory.byteSize();
    }
}
