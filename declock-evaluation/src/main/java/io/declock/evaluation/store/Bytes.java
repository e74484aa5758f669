// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.evaluation.data.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Bytes in words, the first byte lowest. */
final class Bytes {
    private Bytes() {}

    /** Returns how many words bytes need. */
    static int words(int bytes) {
        return (bytes + Long.BYTES - 1) / Long.BYTES;
    }

    static long[] words(byte[] bytes) {
        long[] words = new long[words(bytes.length)];
        put(bytes, words, 0);
        return words;
    }

    /** Puts bytes into words from one on; the rest of the last word is zero. */
    static void put(byte[] bytes, long[] words, int at) {
        ByteBuffer buffer =
                ByteBuffer.allocate(words(bytes.length) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put(bytes).clear();
        buffer.asLongBuffer().get(words, at, words(bytes.length));
    }

    /** Returns bytes out of words from one on. */
    static byte[] get(long[] words, int at, int length) {
        ByteBuffer buffer = ByteBuffer.allocate(words(length) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        buffer.asLongBuffer().put(words, at, words(length));
        byte[] bytes = new byte[length];
        buffer.get(bytes);
        return bytes;
    }

    /** Fills bytes with a pattern that a stamp determines, the stamp first. */
    static void fill(byte[] bytes, long stamp) {
        for (int i = 0; i < bytes.length; i++) {
            long word = i < Long.BYTES ? stamp : Checksum.of(stamp, i / Long.BYTES);
            bytes[i] = (byte) (word >>> i % Long.BYTES * Byte.SIZE);
        }
    }
}
