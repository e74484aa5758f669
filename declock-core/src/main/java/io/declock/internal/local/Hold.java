// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockOwner;
import io.declock.spi.LockObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One owner's hold of one lock: at most one at a time for each owner (rule O1 of docs/protocol.md). Reentrant acquisitions share it; it counts them by mode, and those
 * made through views, which have no {@link Acquisition}. Guarded by its lock's mutex, except the volatile fields, which are written under
 * the mutex and may be read without it.
 */
public final class Hold {
    private static final AtomicIntegerFieldUpdater<Hold> RELEASE_TAKEN =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "releaseTaken");

    private final Lock lock;
    final long grantedAt;
    final GrantKind kind;
    int reads;
    int writes;
    /** Number of acquisitions made through views. */
    int byView;

    private Object owner;
    private volatile long token;
    private volatile @Nullable LockLostException lost;
    private volatile @Nullable Ceiling ceiling;
    private volatile @Nullable WatchedHold watched;

    @SuppressWarnings("UnusedVariable") // By the updater.
    private volatile int releaseTaken;

    private @Nullable List<LossListeners> listening;
    private @Nullable Reserved reserved;
    private volatile boolean disowned;

    /** The lock that an owner holds. */
    public interface Lock {
        /** Returns its name, without a namespace. */
        String name();

        /** Returns its name for messages, quoted, with control and other invisible characters escaped. */
        String title();
    }

    /**
     * The acquisition of a hold by the compute node itself, which makes the hold last a while after its owner has released it (rules R1 and R4 of
     * docs/protocol.md). Called on any thread, without the lock's mutex.
     */
    public interface Reserved {
        /** The hold counts in another session from now on. */
        void moved();

        /** The hold was lost to its owner by a ceiling, and this is what is left of it. Must be quick: called under the lock's mutex. */
        void passesTo(Hold rest);

        /** The hold was lost. */
        void lost();

        /** Ends it before its time. */
        void end();

        /** {@return whether it still lasts, so that nothing gives the position back yet} Must be quick: called under the lock's mutex. */
        boolean lasts();

        /** {@return whether it has ended, so that it gives the position back} Must be quick: called under the lock's mutex. */
        boolean isOver();
    }

    /** Makes a hold without an acquisition. */
    Hold(Lock lock, Object owner, long token, long grantedAt, GrantKind kind) {
        this.lock = lock;
        this.owner = owner;
        this.token = token;
        this.grantedAt = grantedAt;
        this.kind = kind;
    }

    /** Adds the compute node's own acquisition. */
    void reserve(Reserved acquisition) {
        reserved = acquisition;
        writes++;
    }

    /** Another acquisition of the compute node itself takes the place of one that is over. */
    void reserveInstead(Reserved acquisition) {
        reserved = acquisition;
    }

    /** Returns the compute node's own acquisition, or null. */
    @Nullable
    Reserved reserved() {
        return reserved;
    }

    /** Removes the compute node's own acquisition. */
    void endReserved() {
        reserved = null;
        writes--;
    }

    /** Returns whether its owner has given every acquisition back, and only the compute node's own is left. */
    boolean isOnlyReserved() {
        return reserved != null && reads + writes == 1;
    }

    /** Takes the hold from its owner, so that the owner does not enter the lock again (rule R4). */
    void disown() {
        owner = LockOwner.named("nobody, reserved by " + owner);
        disowned = true;
    }

    /** Moves the compute node's own acquisition to a hold of its own, which nobody owns. */
    Hold split() {
        Hold rest = new Hold(lock, owner, token, grantedAt, kind);
        rest.reserved = reserved;
        rest.writes = 1;
        rest.disown();
        endReserved();
        return rest;
    }

    /** Returns whether its owner has it no more. */
    public boolean isDisowned() {
        return disowned;
    }

    /** Adds an acquisition of the same owner. */
    void add(LockMode mode, boolean fromView) {
        if (mode.isExclusive()) {
            writes++;
        } else {
            reads++;
        }
        byView += fromView ? 1 : 0;
    }

    private int count(LockMode mode) {
        return mode.isExclusive() ? writes : reads;
    }

    /** Returns whether this owner has the hold, in this mode and not lost. Exact for the owner itself only. */
    public boolean isStillHeldBy(Object asked, LockMode mode) {
        return owner == asked && lost == null && has(mode);
    }

    /** Returns whether it has an acquisition in this mode. */
    boolean has(LockMode mode) {
        return count(mode) > 0;
    }

    /** Returns whether each of its acquisitions was given back. Exact only under the mutex, or while no other thread uses the hold. */
    public boolean isOver() {
        return reads == 0 && writes == 0;
    }

    /** Removes one acquisition in this mode, which it must have. */
    void subtract(LockMode mode) {
        if (mode.isExclusive()) {
            writes--;
        } else {
            reads--;
        }
    }

    /** One of its acquisitions becomes exclusive. */
    void upgradeOne() {
        reads--;
        writes++;
    }

    /** One of its acquisitions becomes shared. */
    void downgradeOne() {
        writes--;
        reads++;
    }

    void toToken(long newToken) {
        token = newToken;
    }

    /**
     * Marks the hold as lost and drops the reference to its owner, so that the owner can be garbage-collected: a lost hold may be kept for
     * long.
     */
    void lose(LockLostException why) {
        lost = why;
        owner = String.valueOf(owner);
        Ceiling limit = ceiling;
        if (limit != null) {
            limit.cancel();
        }
    }

    /** Returns the lock that it holds. */
    public Lock lock() {
        return lock;
    }

    /** Returns the thread or explicit owner of the hold, or the owner's text once the hold is lost. */
    public Object owner() {
        return owner;
    }

    /** Returns the fencing token. */
    public long token() {
        return token;
    }

    /** Returns why the hold was lost, or null while it is not. */
    public @Nullable LockLostException lost() {
        return lost;
    }

    /** Returns whether it excludes others. Exact under the mutex only. */
    public boolean isExclusive() {
        return writes > 0;
    }

    /** Returns the time of the grant on the node's clock. */
    public long grantedAt() {
        return grantedAt;
    }

    /** Returns how it was granted. */
    public GrantKind kind() {
        return kind;
    }

    // ---------------------------------------------------------------- its end, for observers

    /** Has an observer be told of the end of the hold. Called at most once, before the caller has the hold; it may be lost already. */
    public void watch(LockObserver.Held observer) {
        WatchedHold watching = new WatchedHold(observer);
        watched = watching;
        LockLostException why = lost;
        if (why != null) {
            watching.lost(why);
        }
    }

    /**
     * Returns true once, when its owner has given every acquisition back. Called after each release; the acquisitions of one hold may be given back
     * on several threads.
     */
    public boolean takeRelease() {
        return (isOver() || isDisowned()) && RELEASE_TAKEN.compareAndSet(this, 0, 1);
    }

    /** Tells the observer that its owner has given every acquisition back. */
    void tellRelease() {
        WatchedHold watching = watched;
        if (watching != null) {
            watching.released();
        }
    }

    /** Tells the observer that the hold was lost. */
    void tellLoss(LockLostException why) {
        WatchedHold watching = watched;
        if (watching != null) {
            watching.lost(why);
        }
    }

    // ---------------------------------------------------------------- ceiling and loss

    /** Sets the ceiling of the acquisition that began the hold. It ends every acquisition of the hold (rule O4). */
    public void limit(Ceiling limit) {
        ceiling = limit;
    }

    /** Returns the ceiling on the whole hold, or null. */
    public @Nullable Ceiling ceiling() {
        return ceiling;
    }

    /** Returns whether the hold is valid when the node's clock shows {@code now}. */
    boolean isWithinCeiling(long now) {
        Ceiling limit = ceiling;
        return lost == null && (limit == null || !limit.isReached(now));
    }

    /** Registers listeners of an acquisition, to be notified when the hold is lost. */
    void listens(LossListeners listeners) {
        List<LossListeners> known = listening;
        if (known == null) {
            known = new ArrayList<>(1);
            listening = known;
        }
        known.add(listeners);
    }

    void forgetListening(LossListeners listeners) {
        if (listening != null) {
            listening.remove(listeners);
        }
    }

    /** Returns the listeners to be notified of the loss, and forgets them. */
    List<LossListeners> takeListening() {
        List<LossListeners> known = listening;
        listening = null;
        return known == null ? List.of() : known;
    }
}
