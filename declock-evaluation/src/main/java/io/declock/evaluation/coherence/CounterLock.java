// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.coherence;

import io.declock.LockMode;

/**
 * A reader-writer lock in one word, as that of POSIX threads is (<i>Soul</i>, 5: Pthread). A reader counts itself unless a writer has the lock; a writer swaps its mark for zero. A client that finds the lock taken
 * waits on its copy of the word until it looks free, and tries again.
 */
final class CounterLock implements CoherentLock {
    private static final long WRITER = 1L << 32;

    private final Lines lines;

    CounterLock(Lines lines) {
        this.lines = lines;
    }

    private static boolean isFree(LockMode mode, long word) {
        return mode == LockMode.WRITE ? word == 0 : word < WRITER;
    }

    private static long weight(LockMode mode) {
        return mode == LockMode.WRITE ? WRITER : 1;
    }

    @Override
    public void acquire(LockMode mode, Runnable acquired) {
        lines.update(LOCK, word -> isFree(mode, word) ? word + weight(mode) : word, former -> {
            if (isFree(mode, former)) {
                acquired.run();
            } else {
                lines.await(LOCK, word -> isFree(mode, word), word -> acquire(mode, acquired));
            }
        });
    }

    @Override
    public void release(LockMode mode, Runnable released) {
        lines.update(LOCK, word -> word - weight(mode), former -> released.run());
    }
}
