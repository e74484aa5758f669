// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.store;

import io.declock.protocols.application.ApplicationWorld;

/**
 * Where the words of an object store are: first the heads of its buckets, each with the tag and the state of each of its slots, then the slots' objects. What is read or written at once
 * is in one block.
 *
 * @param buckets number of buckets
 * @param slots slots of a bucket, a power of two
 * @param objectWords words of the largest object
 */
record StoreLayout(int buckets, int slots, int objectWords) {
    /** Words of a slot in its bucket's head: tag and state. */
    static final int HEAD_WORDS = 2;

    private static final int BLOCK = ApplicationWorld.BLOCK;

    StoreLayout {
        if (buckets < 1 || slots < 1 || slots > BLOCK / HEAD_WORDS || Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException(buckets + " buckets with " + slots + " slots");
        }
        if (objectWords > BLOCK) {
            throw new IllegalArgumentException("objects of " + objectWords + " words, allowed are " + BLOCK);
        }
    }

    int bucket(long tag) {
        return (int) Long.remainderUnsigned(tag, buckets);
    }

    /** Returns the slot where an object is put if it is free, so that a client can read it before it has read the head. */
    int home(long tag) {
        return (int) (tag >>> Long.SIZE - 16) & slots - 1;
    }

    int headWords() {
        return slots * HEAD_WORDS;
    }

    long head(int bucket) {
        return (long) bucket * headWords();
    }

    long object(int bucket, int slot) {
        int inBlock = BLOCK / objectWords;
        long index = (long) bucket * slots + slot;
        return objects() + index / inBlock * BLOCK + index % inBlock * objectWords;
    }

    private long objects() {
        return ((long) buckets * headWords() + BLOCK - 1) / BLOCK * BLOCK;
    }

    long words() {
        return object(buckets - 1, slots - 1) + objectWords;
    }
}
