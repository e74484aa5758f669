// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.time;

/** A source of random numbers for jitter and incarnations. Thread-safe. */
@FunctionalInterface
public interface RandomSource {
    /** Returns 64 random bits. */
    long nextLong();

    /** Returns a value uniform enough for jitter in {@code [0, bound)}; zero for a bound that is not positive. */
    default long below(long bound) {
        return bound <= 0 ? 0 : Long.remainderUnsigned(nextLong(), bound);
    }
}
