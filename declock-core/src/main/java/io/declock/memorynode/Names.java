// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.memorynode;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The name of each record by its index, in chunks that are made when they are needed. Writers hold the lock of the name's
 * stripe; readers may look at any time and see a name or none.
 */
final class Names {
    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    private final AtomicReferenceArray<@Nullable AtomicReferenceArray<byte @Nullable []>> chunks;

    Names(int total) {
        this.chunks = new AtomicReferenceArray<>((total >> CHUNK_SHIFT) + 1);
    }

    byte @Nullable [] get(int record) {
        AtomicReferenceArray<byte @Nullable []> chunk = chunks.get(record >> CHUNK_SHIFT);
        return chunk == null ? null : chunk.get(record & CHUNK_MASK);
    }

    boolean isNamed(int record, byte[] name) {
        return Arrays.equals(get(record), name);
    }

    void set(int record, byte @Nullable [] name) {
        int at = record >> CHUNK_SHIFT;
        AtomicReferenceArray<byte @Nullable []> chunk = chunks.get(at);
        if (chunk == null) {
            chunks.compareAndSet(at, null, new AtomicReferenceArray<>(1 << CHUNK_SHIFT));
            chunk = chunks.get(at);
        }
        if (chunk != null) {
            chunk.set(record & CHUNK_MASK, name);
        }
    }
}
