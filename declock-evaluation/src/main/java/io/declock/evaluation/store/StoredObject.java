// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.evaluation.data.Checksum;
import java.util.Arrays;

/**
 * An object as it is in its slot: its state, a checksum of all else, the size of the key, the key and the value. A state is a version, which grows with each change, and the size of the value.
 *
 * @param key the key
 * @param version number of the change that wrote it
 * @param value the value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record StoredObject(CacheKey key, int version, byte[] value) {
    private static final int STATE = 0;
    private static final int CHECKSUM = 1;
    private static final int KEY_BYTES = 2;
    private static final int HEADER_WORDS = 3;

    /** Returns how many words an object has. */
    static int words(int keyBytes, int valueBytes) {
        return HEADER_WORDS + Bytes.words(keyBytes) + Bytes.words(valueBytes);
    }

    static int version(long state) {
        return (int) (state >>> Integer.SIZE);
    }

    static int valueBytes(long state) {
        return (int) state;
    }

    long state() {
        return (long) version << Integer.SIZE | value.length;
    }

    long[] words() {
        long[] words = new long[words(key.length(), value.length)];
        words[STATE] = state();
        words[KEY_BYTES] = key.length();
        System.arraycopy(key.words(), 0, words, HEADER_WORDS, key.words().length);
        Bytes.put(value, words, HEADER_WORDS + key.words().length);
        words[CHECKSUM] = checksum(words, words.length);
        return words;
    }

    private static long checksum(long[] words, int until) {
        return Checksum.of(words[STATE], Checksum.of(words, KEY_BYTES, until));
    }

    /**
     * Reads an object.
     *
     * @param state the state that the bucket's head says
     * @throws IllegalStateException if the words are not what one writer has written, or another key has the same tag
     */
    static StoredObject read(CacheKey key, long state, long[] words) {
        int count = words(key.length(), valueBytes(state));
        if (words[STATE] != state || words[CHECKSUM] != checksum(words, count)) {
            throw new IllegalStateException("the value of " + key + " is torn");
        }
        if (!key.equals(CacheKey.of(
                key.length(), Arrays.copyOfRange(words, HEADER_WORDS, HEADER_WORDS + key.words().length)))) {
            throw new IllegalStateException("another key has the tag of " + key);
        }
        return new StoredObject(
                key, version(state), Bytes.get(words, HEADER_WORDS + key.words().length, valueBytes(state)));
    }
}
