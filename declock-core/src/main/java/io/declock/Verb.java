// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

/**
 * The one-sided operations a memory node executes on its region. Their ordinals are not used on the wire.
 *
 * <p>Atomics are atomic only with respect to each other. A WRITE to a word that an atomic changes at the same time may be lost, so no word
 * is changed by both (the InfiniBand architecture promises no more, and Soft-RoCE was seen to lose such a WRITE).
 */
public enum Verb {
    /** Adds to one 8-byte word atomically and returns its former value. */
    FETCH_AND_ADD,
    /** Replaces one 8-byte word if it has the expected value and returns its former value. */
    COMPARE_AND_SWAP,
    /** Returns adjacent 8-byte words; each word is read whole, several words are not a snapshot. */
    READ,
    /** Stores adjacent 8-byte words; each word is stored whole. */
    WRITE,
    /**
     * Compares some bits of two adjacent words, and replaces some bits of them if the compared ones are as expected; returns both former words. {@linkplain
     * #isExtended Extended}.
     */
    MASKED_COMPARE_AND_SWAP,
    /** Adds to each field of two adjacent words, so that no carry leaves a field; returns both former words. {@linkplain #isExtended Extended}. */
    MASKED_FETCH_AND_ADD;

    /**
     * {@return whether it is an extended atomic} It works on two adjacent words whose address is a multiple of 16, as some adapters do; the lock of this product
     * uses none. Extended atomics are atomic with respect to each other, on both words together. Where a processor executes them, their change of
     * each word is atomic with respect to all other verbs as well. But another verb may come between the changes of the two words, and between the comparison
     * and the change of the second word.
     */
    public boolean isExtended() {
        return this == MASKED_COMPARE_AND_SWAP || this == MASKED_FETCH_AND_ADD;
    }
}
