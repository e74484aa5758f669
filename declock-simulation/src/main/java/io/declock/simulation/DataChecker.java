// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks that a holder sees in the guarded words what the last writer has left there, all of it and nothing else. Writers change each word twice, when they come and
 * when they leave, and each word to a value of its own.
 */
final class DataChecker {
    /** How often writers have changed the words, by lock. */
    private final Map<Long, Long> changes = new HashMap<>();

    /** A client has been granted a lock and has these words. */
    void entered(long lock, LockMode mode, long[] words) {
        check(lock, mode, words);
        change(lock, mode, words);
    }

    /** A client is about to release a lock and has these words. */
    void leaves(long lock, LockMode mode, long[] words) {
        check(lock, mode, words);
        change(lock, mode, words);
    }

    private void check(long lock, LockMode mode, long[] words) {
        long now = changes.getOrDefault(lock, 0L);
        for (int i = 0; i < words.length; i++) {
            if (words[i] != valueOf(now, i)) {
                throw new Violation(
                        "data",
                        "word " + i + " of lock " + lock + " is " + words[i] + " to one that has the lock to " + mode
                                + ", and was left as " + valueOf(now, i));
            }
        }
    }

    private void change(long lock, LockMode mode, long[] words) {
        if (mode == LockMode.WRITE && words.length > 0) {
            long next = changes.merge(lock, 1L, Long::sum);
            for (int i = 0; i < words.length; i++) {
                words[i] = valueOf(next, i);
            }
        }
    }

    /** Memory is zero at first. */
    private static long valueOf(long changes, int word) {
        return changes * (word + 1);
    }
}
