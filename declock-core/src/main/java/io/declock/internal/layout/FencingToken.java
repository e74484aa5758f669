// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.layout;

/**
 * The fencing token: a positive long, derived from values that each grant has already, so it costs no remote operation.
 *
 * <pre>
 *  63  62                     31 30                    7 6        0
 * +---+-------------------------+-----------------------+----------+
 * | 0 |      full epoch 32      |    queue index 24     |  seq 7   |
 * +---+-------------------------+-----------------------+----------+
 * </pre>
 *
 * <p>The local sequence distinguishes the grants that one compute node hands over locally under one queue index.
 */
public final class FencingToken {
    /** Bits of the local sequence. */
    public static final int SEQUENCE_BITS = 7;
    /** Local grants under one queue index. */
    public static final int SEQUENCES = 1 << SEQUENCE_BITS;

    private static final int INDEX_SHIFT = SEQUENCE_BITS;
    private static final int EPOCH_SHIFT = INDEX_SHIFT + LockHeader.HEAD_BITS;
    private static final long EPOCH_MASK = (1L << 32) - 1;

    private FencingToken() {}

    /** Packs a token. */
    public static long pack(long epoch, int index, int sequence) {
        return (epoch & EPOCH_MASK) << EPOCH_SHIFT
                | (long) (index & LockHeader.HEAD_RANGE - 1) << INDEX_SHIFT
                | sequence & SEQUENCES - 1;
    }
}
