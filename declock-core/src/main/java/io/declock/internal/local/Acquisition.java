// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.LockMode;
import java.util.ArrayList;
import java.util.List;
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
    private @Nullable List<LossListener> listeners;

    /** An action that runs once when an acquisition is lost. */
    public record LossListener(Runnable action, boolean quick) {}

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
        hold.forgetListening(this);
    }

    /**
     * Adds an action that runs when this is lost; runs it at once if this is lost already. Takes the mutex.
     *
     * @param quick whether it may run on the thread that finds the loss, where it must neither block nor throw; else it runs on a
     *     thread for callbacks
     */
    public final void whenLost(Runnable action, boolean quick) {
        boolean now;
        hold.lock.mutex().lock();
        try {
            now = lost() != null;
            if (!now && !ended) {
                List<LossListener> known = listeners;
                if (known == null) {
                    known = new ArrayList<>(1);
                    listeners = known;
                    hold.listens(this);
                }
                known.add(new LossListener(action, quick));
            }
        } finally {
            hold.lock.mutex().unlock();
        }
        if (now) {
            action.run();
        }
    }

    /** Returns the listeners to be notified of the loss, and forgets them. */
    List<LossListener> takeListeners() {
        List<LossListener> known = listeners;
        listeners = null;
        return known == null ? List.of() : known;
    }
}
