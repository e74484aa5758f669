// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.GrantKind;

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

    /** An upgrade ended; {@code success} tells the result. */
    void upgraded(boolean success, Effects effects);
}
