// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A set of records, such as those whose address was sent to one session. One bit per record, in blocks that take memory only once one of their records is
 * known. Thread-safe.
 */
final class KnownRecords {
    private static final int WORD_SHIFT = 6;
    private static final int BLOCK_SHIFT = 12;
    private static final int BLOCK_WORDS = 1 << BLOCK_SHIFT - WORD_SHIFT;

    private final AtomicReferenceArray<@Nullable AtomicLongArray> blocks;

    KnownRecords(int records) {
        this.blocks = new AtomicReferenceArray<>((records >> BLOCK_SHIFT) + 1);
    }

    /** Remembers that the address of a record is about to be sent to the session. */
    void add(int record) {
        AtomicLongArray block = blocks.get(record >> BLOCK_SHIFT);
        if (block == null) {
            blocks.compareAndSet(record >> BLOCK_SHIFT, null, new AtomicLongArray(BLOCK_WORDS));
            block = blocks.get(record >> BLOCK_SHIFT);
        }
        if (block != null && (block.get(word(record)) & bit(record)) == 0) {
            block.getAndUpdate(word(record), bits -> bits | bit(record));
        }
    }

    /** Adds every record of another session. */
    void addAll(KnownRecords others) {
        for (int i = 0; i < blocks.length(); i++) {
            AtomicLongArray block = others.blocks.get(i);
            for (int word = 0; block != null && word < BLOCK_WORDS; word++) {
                long bits = block.get(word);
                while (bits != 0) {
                    add((i << BLOCK_SHIFT) + (word << WORD_SHIFT) + Long.numberOfTrailingZeros(bits));
                    bits &= bits - 1;
                }
            }
        }
    }

    /** Forgets a record that was reclaimed from its name. */
    void remove(int record) {
        AtomicLongArray block = blocks.get(record >> BLOCK_SHIFT);
        if (block != null) {
            block.getAndUpdate(word(record), bits -> bits & ~bit(record));
        }
    }

    boolean contains(int record) {
        AtomicLongArray block = blocks.get(record >> BLOCK_SHIFT);
        return block != null && (block.get(word(record)) & bit(record)) != 0;
    }

    private static int word(int record) {
        return record >> WORD_SHIFT & BLOCK_WORDS - 1;
    }

    private static long bit(int record) {
        return 1L << record;
    }
}
