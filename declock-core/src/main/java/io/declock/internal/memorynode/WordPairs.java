// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.Verb;
import io.declock.spi.ExtendedAtomics;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;

/**
 * Executes {@linkplain Verb#isExtended extended atomics} on a region by the processor. A mutex makes them atomic with each other; ordinary verbs do not take
 * it, so each word is changed by a compare-and-swap of its own. Thread-safe.
 */
final class WordPairs {
    private static final int STRIPES = 16;

    private final Stripe[] stripes = new Stripe[STRIPES];

    WordPairs() {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    void execute(Region region, Verb verb, long address, IntToLongFunction operands, LongConsumer found) {
        stripes[(int) (address / ExtendedAtomics.BYTES) & STRIPES - 1].execute(region, verb, address, operands, found);
    }

    /** One part of the memory. */
    private static final class Stripe {
        private final ReentrantLock lock = new ReentrantLock();

        void execute(Region region, Verb verb, long address, IntToLongFunction operands, LongConsumer found) {
            long first;
            long second;
            lock.lock();
            try {
                boolean changes;
                do {
                    first = region.read(address);
                    second = region.read(address + Long.BYTES);
                    changes = ExtendedAtomics.matches(verb, operands, first, second);
                } while (changes && !change(region, verb, address, operands, 0, first));
                while (changes && !change(region, verb, address, operands, 1, second)) {
                    second = region.read(address + Long.BYTES);
                }
            } finally {
                lock.unlock();
            }
            found.accept(first);
            found.accept(second);
        }

        private static boolean change(
                Region region, Verb verb, long address, IntToLongFunction operands, int word, long value) {
            long next = ExtendedAtomics.changed(verb, operands, word, value);
            return next == value || region.compareAndSwap(address + (long) word * Long.BYTES, value, next) == value;
        }
    }
}
