// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import java.util.function.BooleanSupplier;

/** Lets callers wait for conditions that become true elsewhere. Thread-safe. */
public interface Waiting {
    /** Makes every waiting caller check its condition again. Allowed under any mutex. */
    void signal();

    /**
     * Waits for a condition, which is checked now and after each signal.
     *
     * @return whether it became true within the time
     * @throws InterruptedException if the thread was interrupted
     */
    boolean await(BooleanSupplier condition, long nanos) throws InterruptedException;
}
