// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.GrantKind;
import io.declock.spi.GrantedValue;
import org.jspecify.annotations.Nullable;

/** The level above a {@link CqlLock}; called under the lock's mutex. */
public interface CqlUpper {
    /** The position holds the lock now. */
    void granted(GrantKind kind, Effects effects);

    /** The acquisition that must not wait was not granted; there is no position. */
    void notGranted(Effects effects);

    /** The position cannot be granted at once: a caller that must not wait is to be refused. */
    void mustWait(Effects effects);

    /**
     * The level above may go on: the position is gone, so that another may be taken, or it holds the lock after a reset, a conversion or
     * a READ of the queue.
     */
    void settled(Effects effects);

    /** Gives the position back if it is kept and no caller holds the lock or waits for it here; returns whether it does. */
    boolean giveBack(Effects effects);

    /**
     * Returns what this node knows of the lock's value at its present position, to be told with the grants of its successors, or null if it knows
     * nothing that the memory node has confirmed (rule V5).
     */
    default @Nullable GrantedValue valueToTell() {
        return null;
    }

    /** Returns whether the memory node may yet store a value for the present position: then nothing is granted beforehand (rule V5). */
    default boolean mayStoreYet() {
        return false;
    }

    /** The grant of the position, which is accepted in this event, tells of the lock's value (rule V5). */
    default void told(GrantedValue value) {}

    /** An upgrade ended; {@code success} tells the result. */
    void upgraded(boolean success, Effects effects);
}
