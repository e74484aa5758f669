// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.time;

/** A source of random numbers for jitter and incarnations. Thread-safe. */
@FunctionalInterface
public interface RandomSource {
    /** Returns 64 random bits. */
    long nextLong();

    /** Returns a value in {@code [0, bound)}, uniform enough for jitter; zero if the bound is not positive. */
    default long below(long bound) {
        return bound <= 0 ? 0 : Long.remainderUnsigned(nextLong(), bound);
    }
}
