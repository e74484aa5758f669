// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The name of each record by its index, and the quota that was charged for it, in chunks that are made on demand. Writers hold the lock of
 * the name's stripe; readers may read at any time and see a name or none.
 */
final class Names {
    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    private final AtomicReferenceArray<@Nullable Chunk> chunks;

    private static final class Chunk {
        final AtomicReferenceArray<byte @Nullable []> names = new AtomicReferenceArray<>(1 << CHUNK_SHIFT);
        /** Guarded by the locks of the names' stripes. */
        final @Nullable RecordQuota[] charged = new RecordQuota[1 << CHUNK_SHIFT];
    }

    Names(int total) {
        this.chunks = new AtomicReferenceArray<>((total >> CHUNK_SHIFT) + 1);
    }

    byte @Nullable [] get(int record) {
        Chunk chunk = chunks.get(record >> CHUNK_SHIFT);
        return chunk == null ? null : chunk.names.get(record & CHUNK_MASK);
    }

    boolean isNamed(int record, byte[] name) {
        return Arrays.equals(get(record), name);
    }

    /** Names a record for which a quota was charged. */
    void set(int record, byte[] name, RecordQuota charged) {
        Chunk chunk = chunk(record >> CHUNK_SHIFT);
        chunk.charged[record & CHUNK_MASK] = charged;
        chunk.names.set(record & CHUNK_MASK, name);
    }

    /** Removes the name of a record, and returns its charge. */
    void clear(int record) {
        Chunk chunk = chunk(record >> CHUNK_SHIFT);
        RecordQuota charged = chunk.charged[record & CHUNK_MASK];
        chunk.names.set(record & CHUNK_MASK, null);
        chunk.charged[record & CHUNK_MASK] = null;
        if (charged != null) {
            charged.giveBack();
        }
    }

    private Chunk chunk(int at) {
        Chunk chunk = chunks.get(at);
        if (chunk == null) {
            Chunk made = new Chunk();
            chunk = chunks.compareAndSet(at, null, made) ? made : chunk(at);
        }
        return chunk;
    }
}
