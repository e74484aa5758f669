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
    WRITE
}
