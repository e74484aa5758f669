// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.soul;

/**
 * A region of the memory that a lock guards.
 *
 * @param firstWord where it begins, in words from the lock's address
 * @param words how many words it has, at least one
 */
public record Region(int firstWord, int words) {
    /**
     * Checks the region.
     *
     * @throws IllegalArgumentException if it begins before the lock, or is empty
     */
    public Region {
        if (firstWord < 0 || words < 1) {
            throw new IllegalArgumentException("no region: " + words + " words from word " + firstWord + " on");
        }
    }

    int end() {
        return firstWord + words;
    }
}
