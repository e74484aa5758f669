// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.coherence;

import io.declock.LockMode;

/**
 * The queue lock of Mellor-Crummey and Scott in coherent memory (<i>Soul</i>, 2.2 and 5: MCS). The tail is in the lock's line; each client's entry, in a line of its own, has the number of the next client and
 * whether its owner waits. Readers take the lock as writers do.
 */
final class QueueLock implements CoherentLock {
    private static final long WAITS = 1L << 32;
    private static final long NOBODY = 0;

    /** Its own number in tails and entries, from one on. */
    private final long number;

    private final Lines lines;

    QueueLock(int client, Lines lines) {
        this.number = client + 1L;
        this.lines = lines;
    }

    private static int entry(long number) {
        return CLIENTS + (int) number - 1;
    }

    private static long next(long entry) {
        return entry & WAITS - 1;
    }

    @Override
    public void acquire(LockMode mode, Runnable acquired) {
        lines.store(
                entry(number),
                WAITS,
                () -> lines.update(LOCK, tail -> number, before -> {
                    if (before == NOBODY) {
                        acquired.run();
                    } else {
                        follow(before, acquired);
                    }
                }));
    }

    private void follow(long before, Runnable acquired) {
        lines.update(
                entry(before),
                entry -> entry | number,
                former -> lines.await(entry(number), entry -> entry < WAITS, entry -> acquired.run()));
    }

    @Override
    public void release(LockMode mode, Runnable released) {
        lines.load(entry(number), entry -> {
            if (next(entry) != NOBODY) {
                handOver(next(entry), released);
            } else {
                lines.update(LOCK, tail -> tail == number ? NOBODY : tail, tail -> {
                    if (tail == number) {
                        released.run();
                    } else {
                        lines.await(
                                entry(number), late -> next(late) != NOBODY, late -> handOver(next(late), released));
                    }
                });
            }
        });
    }

    private void handOver(long next, Runnable released) {
        lines.update(entry(next), entry -> entry & ~WAITS, former -> released.run());
    }
}
