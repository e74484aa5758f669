// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.evaluation.data.Checksum;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A key of an object: its bytes in words, the first byte lowest, and a tag that stands for them. Immutable. */
public final class CacheKey {
    private final int length;
    private final long[] words;
    private final long tag;

    private CacheKey(int length, long[] words) {
        this.length = length;
        this.words = words;
        long mixed = Checksum.of(Checksum.of(words, 0, words.length), length);
        // Zero is the tag of a slot without an object.
        this.tag = mixed == 0 ? 1 : mixed;
    }

    /** Returns the key with a text, in UTF-8. */
    public static CacheKey of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new CacheKey(bytes.length, Bytes.words(bytes));
    }

    /**
     * Returns a key that is drawn from a number.
     *
     * @param length its bytes, at least one; keys of different numbers differ if there are eight
     */
    public static CacheKey of(long number, int length) {
        byte[] bytes = new byte[length];
        Bytes.fill(bytes, number);
        return new CacheKey(length, Bytes.words(bytes));
    }

    static CacheKey of(int length, long[] words) {
        return new CacheKey(length, words);
    }

    /** Returns how many bytes it has. */
    public int length() {
        return length;
    }

    /** Returns the tag, which is not zero. */
    public long tag() {
        return tag;
    }

    long[] words() {
        return words;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CacheKey that && length == that.length && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(words) + length;
    }

    @Override
    public String toString() {
        return "key " + Long.toHexString(tag);
    }
}
