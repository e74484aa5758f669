// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

import io.declock.protocols.application.ApplicationWorld;

/** Random choices of a load, from the whole numbers that a world draws. */
@FunctionalInterface
public interface Chance {
    /** As many values as a double has between zero and one at equal distances. */
    long STEPS = 1L << 53;

    /** Returns a random number from zero up to, and without, a bound. */
    long below(long bound);

    /** Returns the choices of a world. */
    static Chance of(ApplicationWorld world) {
        return world::below;
    }

    /** Returns a number from zero up to, and without, one. */
    default double fraction() {
        return (double) below(STEPS) / STEPS;
    }

    /** Returns true with a chance. */
    default boolean happens(double share) {
        return fraction() < share;
    }

    /** Returns a number from a first one to a last one, both of them possible. */
    default int between(int first, int last) {
        return first + (int) below(last - first + 1L);
    }
}
