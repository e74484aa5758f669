// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.Verb;
import io.declock.spi.ExtendedAtomics;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;

/**
 * Executes {@linkplain Verb#isExtended extended atomics} on a region by the processor. A mutex makes them atomic with each other; ordinary verbs do not take
 * it, so each word is changed by a compare-and-swap of its own. Thread-safe.
 */
final class WordPairs {
    private static final int STRIPES = 16;

    /** Replaces a word that has the expected value, and returns its former value. */
    @FunctionalInterface
    interface Swap {
        long compareAndSwap(long address, long expected, long desired);
    }

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final LongUnaryOperator read;
    private final Swap swap;

    /**
     * Makes it for the words that are read and changed by these.
     *
     * @param read reads the word at an address
     */
    WordPairs(LongUnaryOperator read, Swap swap) {
        this.read = read;
        this.swap = swap;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    void execute(Verb verb, long address, IntToLongFunction operands, LongConsumer found) {
        stripes[(int) (address / ExtendedAtomics.BYTES) & STRIPES - 1].execute(verb, address, operands, found);
    }

    /** One part of the memory. */
    private final class Stripe {
        private final ReentrantLock lock = new ReentrantLock();

        void execute(Verb verb, long address, IntToLongFunction operands, LongConsumer found) {
            long first;
            long second;
            lock.lock();
            try {
                boolean changes;
                do {
                    first = read.applyAsLong(address);
                    second = read.applyAsLong(address + Long.BYTES);
                    changes = ExtendedAtomics.matches(verb, operands, first, second);
                } while (changes && !change(verb, address, operands, 0, first));
                while (changes && !change(verb, address, operands, 1, second)) {
                    second = read.applyAsLong(address + Long.BYTES);
                }
            } finally {
                lock.unlock();
            }
            found.accept(first);
            found.accept(second);
        }

        private boolean change(Verb verb, long address, IntToLongFunction operands, int word, long value) {
            long next = ExtendedAtomics.changed(verb, operands, word, value);
            return next == value || swap.compareAndSwap(address + (long) word * Long.BYTES, value, next) == value;
        }
    }
}
