// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.GrantKind;

/** The level above a {@link CqlLock}; called under the lock's mutex. */
public interface CqlUpper {
    /** The position is held now. */
    void granted(GrantKind kind, Effects effects);

    /** There is no position any more; another may be taken. */
    void vacant(Effects effects);

    /** The acquisition that must not wait was not granted; there is no position. */
    void notGranted(Effects effects);

    /** The position cannot be granted at once: a caller that must not wait for others is to be told so. */
    void mustWait(Effects effects);

    /** The position is held, and something that stopped the level above has ended: a reset, a conversion, a look at the queue. */
    void settled(Effects effects);

    /** An upgrade ended; the mode says how. */
    void upgraded(boolean success, Effects effects);
}
