// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.reliability.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for what no event tells of: something that a program writes, or its end.
 *
 * @param most the longest time to wait
 */
public record Patience(Duration most) {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

    /**
     * Waits until something is so.
     *
     * @param otherwise says what is the matter if it is not so in time
     * @throws IllegalStateException if it is not so in time
     */
    public void until(BooleanSupplier so, Supplier<String> otherwise) {
        until(so, () -> false, otherwise);
    }

    /**
     * Waits until something is so.
     *
     * @param hopeless whether it cannot become so any more
     * @param otherwise says what is the matter if it is not so in time
     * @throws IllegalStateException if it is not so in time, or cannot become so
     */
    public void until(BooleanSupplier so, BooleanSupplier hopeless, Supplier<String> otherwise) {
        long deadline = System.nanoTime() + most.toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0 || hopeless.getAsBoolean()) {
                throw new IllegalStateException(otherwise.get());
            }
            Cluster.pause(BETWEEN_LOOKS);
        }
    }
}
