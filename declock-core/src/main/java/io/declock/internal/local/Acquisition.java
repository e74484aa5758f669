// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * One granted acquisition of a lock, with a mode and perhaps a ceiling of its own. Several acquisitions of one owner share a {@link Hold}.
 * Guarded by the lock's mutex, except the volatile fields, which are written under the mutex and may be read without it.
 *
 * <p>Acquisitions through {@code java.util.concurrent} views have no such object: their hold counts them.
 */
public class Acquisition {
    private final Hold hold;
    private volatile LockMode mode;
    private volatile @Nullable LockLostException lost;
    private volatile @Nullable Ceiling ceiling;
    private boolean ended;
    private @Nullable LossListeners listeners;

    /** Makes the acquisition that a caller was granted in this mode. */
    public Acquisition(Hold hold, LockMode mode) {
        this.hold = hold;
        this.mode = mode;
    }

    /** Returns the hold that it belongs to. */
    public final Hold hold() {
        return hold;
    }

    /** Returns the mode in which it holds the lock. */
    public final LockMode heldMode() {
        return mode;
    }

    /** Returns why it was lost, with its hold or alone, or null. */
    public final @Nullable LockLostException lost() {
        LockLostException alone = lost;
        return alone != null ? alone : hold.lost();
    }

    /** Returns whether it is valid when the node's clock shows {@code now}: neither lost nor past a ceiling. */
    public final boolean isWithinCeilings(long now) {
        Ceiling own = ceiling;
        return lost == null && (own == null || !own.isReached(now)) && hold.isWithinCeiling(now);
    }

    /** Sets a ceiling on this acquisition alone. */
    public final void limit(Ceiling own) {
        ceiling = own;
    }

    /** Returns the ceiling on this acquisition alone, or null. */
    public final @Nullable Ceiling ceiling() {
        return ceiling;
    }

    void toMode(LockMode converted) {
        mode = converted;
    }

    boolean isEnded() {
        return ended;
    }

    /** Ends the acquisition; {@code why} is the reason if it was lost alone, not with its hold. */
    void end(@Nullable LockLostException why) {
        ended = true;
        lost = why;
        LossListeners known = listeners;
        if (known != null) {
            hold.forgetListening(known);
        }
    }

    /** Adds an action that runs when this is lost, which must not have happened yet; does nothing if this has ended. */
    void listen(LossListeners.Listener listener) {
        if (ended) {
            return;
        }
        LossListeners known = listeners;
        if (known == null) {
            known = new LossListeners();
            listeners = known;
            hold.listens(known);
        }
        known.add(listener);
    }

    /** Returns the actions that run when this is lost, or null. */
    @Nullable
    LossListeners listeners() {
        return listeners;
    }
}
