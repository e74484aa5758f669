// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts the resolutions that are under way, by generation. Thread-safe. */
final class Resolutions {
    private final AtomicInteger generation = new AtomicInteger();
    private final AtomicIntegerArray underWay = new AtomicIntegerArray(2);

    /** Counts a resolution that begins; the result goes to {@link #exit}. */
    int enter() {
        while (true) {
            int now = generation.get();
            underWay.getAndIncrement(now & 1);
            if (generation.get() == now) {
                return now;
            }
            underWay.getAndDecrement(now & 1);
        }
    }

    void exit(int began) {
        underWay.getAndDecrement(began & 1);
    }

    /** Begins a generation. All resolutions of the one before the present one must have ended. */
    void beginGeneration() {
        generation.getAndIncrement();
    }

    /** Returns whether all resolutions that began before the present generation have ended. */
    boolean formerHaveEnded() {
        return underWay.get(generation.get() - 1 & 1) == 0;
    }
}
