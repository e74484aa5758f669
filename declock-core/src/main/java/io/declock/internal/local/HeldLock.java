// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.internal.protocol.CqlEnvironment;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import io.declock.internal.protocol.PositionState;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock from the side of those that hold it: holds and acquisitions are given back, converted, and end by their ceilings. Takes the lock's
 * mutex for each call, and performs the effects after it was released.
 */
public final class HeldLock {
    private HeldLock() {}

    // ---------------------------------------------------------------- giving back

    /** Gives back one acquisition of a hold that has no {@link Acquisition} yet and was not made through a view. */
    public static @Nullable LockLostException release(Hold hold, LockMode mode) {
        return release(hold, mode, false);
    }

    /**
     * Gives back one acquisition of a hold that has no {@link Acquisition}: it was made through a view, or its caller does not know of the
     * grant yet.
     *
     * @param byView whether it was made through a view
     * @return why the hold had been lost, or null if it had not
     * @throws IllegalMonitorStateException if the hold has no acquisition in that mode
     */
    public static @Nullable LockLostException release(Hold hold, LockMode mode, boolean byView) {
        LocalState lock = LocalState.of(hold);
        Effects effects = new Effects(lock.host.clock());
        CqlEnvironment session;
        LockLostException lost;
        lock.mutex.lock();
        try {
            if (!hold.has(mode)) {
                throw new IllegalMonitorStateException(
                        lock.title() + " is not held in mode " + mode + " by " + hold.owner());
            }
            session = lock.postsTo();
            hold.byView -= byView ? 1 : 0;
            lost = release(lock, hold, mode, effects);
        } finally {
            lock.mutex.unlock();
        }
        lock.perform(effects, session);
        return lost;
    }

    /** Gives an acquisition back, once (rule O8). Returns why it had been lost, with its hold or alone, or null if it had not. */
    public static @Nullable LockLostException release(Acquisition acquisition) {
        LocalState lock = LocalState.of(acquisition.hold());
        Effects effects = new Effects(lock.host.clock());
        CqlEnvironment session;
        LockLostException lost;
        lock.mutex.lock();
        try {
            session = lock.postsTo();
            if (!acquisition.isEnded()) {
                Ceiling own = acquisition.ceiling();
                LockLostException alone =
                        own != null && own.isReached(effects.now()) ? own.reached(lock.title()) : null;
                end(lock, acquisition, alone, effects);
            }
            lost = acquisition.lost();
        } finally {
            lock.mutex.unlock();
        }
        lock.perform(effects, session);
        return lost;
    }

    private static void end(
            LocalState lock, Acquisition acquisition, @Nullable LockLostException alone, Effects effects) {
        acquisition.end(alone);
        LossListeners listeners = acquisition.listeners();
        if (alone != null && listeners != null) {
            Losses.tell(lock, listeners, effects);
        }
        release(lock, acquisition.hold(), acquisition.heldMode(), effects);
    }

    private static @Nullable LockLostException release(LocalState lock, Hold hold, LockMode mode, Effects effects) {
        Losses.loseIfOver(lock, hold, effects);
        hold.subtract(mode);
        LockLostException lost = hold.lost();
        if (lost == null) {
            afterRelease(lock, hold, mode, effects);
        } else {
            lock.holds.forgetLost(hold);
        }
        return lost;
    }

    private static void afterRelease(LocalState lock, Hold hold, LockMode mode, Effects effects) {
        if (hold.isOnlyReserved()) {
            hold.disown();
            lock.host.held(-1);
            effects.run(hold::tellRelease);
            return;
        }
        if (hold.writes > 0 || hold.reads > 0 && !mode.isExclusive()) {
            return;
        }
        if (hold.reads > 0) {
            HoldConversion.toReader(lock, hold, effects);
        } else {
            lock.holds.remove(hold);
            lock.host.held(hold.isDisowned() ? 0 : -1);
            effects.run(hold::tellRelease);
        }
        Granter.advance(lock, effects);
    }

    // ---------------------------------------------------------------- lasting a while

    /**
     * Adds an acquisition of the compute node itself to an exclusive hold, or returns the one that it has already.
     *
     * @param reserved the acquisition
     * @return the one that the hold has now, or null if the hold was lost or has ended
     */
    public static Hold.@Nullable Reserved reserve(Hold hold, Hold.Reserved reserved) {
        LocalState lock = LocalState.of(hold);
        AtomicReference<Hold.@Nullable Reserved> present = new AtomicReference<>();
        lock.event(effects -> {
            Losses.loseIfOver(lock, hold, effects);
            if (hold.lost() != null || !lock.holds.contains(hold)) {
                return;
            }
            Hold.Reserved known = hold.reserved();
            if (known == null) {
                hold.reserve(reserved);
            } else if (known.isOver()) {
                hold.reserveInstead(reserved);
            }
            present.set(hold.reserved());
        });
        return present.get();
    }

    /** Gives the compute node's own acquisition back; does nothing if the hold was lost. */
    public static void endReserved(Hold hold, Hold.Reserved reserved) {
        LocalState lock = LocalState.of(hold);
        lock.event(effects -> {
            if (hold.reserved() == reserved) {
                Losses.loseIfOver(lock, hold, effects);
            }
            if (hold.reserved() == reserved) {
                hold.endReserved();
                afterRelease(lock, hold, LockMode.WRITE, effects);
            }
        });
    }

    /** Returns the compute node's record of a hold's lock and the session it counts in, or null without one. */
    public static @Nullable CqlLock sideOf(Hold hold) {
        LocalState lock = LocalState.of(hold);
        lock.mutex.lock();
        try {
            CqlLock side = lock.remote();
            return side != null && side.environment() == lock.session() ? side : null;
        } finally {
            lock.mutex.unlock();
        }
    }

    // ---------------------------------------------------------------- what a hold rests on

    /**
     * Calls a function with what a hold rests on and with what is known of the lock's value, under the lock's mutex: until the function returns, the hold is not lost and the
     * lock not handed over.
     *
     * @param quick must neither block nor call the lock
     * @return its result, or null if the hold rests on no position at this moment, because it moves to the memory node's next life or to another one
     * @throws LockLostException if it was lost
     * @throws IllegalStateException if it was given back
     */
    public static <T> @Nullable T whileHeld(Hold hold, BiFunction<Footing, LockValue, T> quick) {
        LocalState lock = LocalState.of(hold);
        AtomicReference<@Nullable T> result = new AtomicReference<>();
        AtomicBoolean ended = new AtomicBoolean();
        lock.event(effects -> {
            Losses.loseIfOver(lock, hold, effects);
            if (hold.lost() == null && lock.holds.contains(hold)) {
                Footing footing = footing(lock);
                result.set(footing == null ? null : quick.apply(footing, lock.value()));
            } else {
                ended.set(true);
            }
        });
        LockLostException lost = hold.lost();
        if (lost != null) {
            throw new LockLostException(lost.getMessage(), lost);
        }
        if (ended.get()) {
            throw new IllegalStateException(lock.title() + " is not held any more by " + hold.owner());
        }
        return result.get();
    }

    private static @Nullable Footing footing(LocalState lock) {
        CqlLock side = lock.remote();
        CqlEnvironment session = lock.session();
        if (side == null || session == null || side.environment() != session) {
            return null;
        }
        return side.state() == PositionState.HELD && !lock.isSuspended()
                ? new Footing(session, side.record(), side.epoch(), side.index(), side.isExclusive(), side.isMoving())
                : null;
    }

    /** Runs an action with what is known of the value of a hold's lock, under the lock's mutex, whatever has become of the hold. */
    public static void underMutex(Hold hold, Consumer<LockValue> quick) {
        LocalState lock = LocalState.of(hold);
        lock.mutex.lock();
        try {
            quick.accept(lock.value());
        } finally {
            lock.mutex.unlock();
        }
    }

    // ---------------------------------------------------------------- converting

    /**
     * Turns an exclusive acquisition into a shared one. Does nothing if it is shared already or was given back. The lock is shared as soon
     * as its owner has no exclusive acquisition left.
     *
     * @return why it was lost, and stays as it was, or null
     */
    public static @Nullable LockLostException downgrade(Acquisition acquisition) {
        LocalState lock = LocalState.of(acquisition.hold());
        return change(lock, acquisition, effects -> {
            Hold hold = acquisition.hold();
            if (acquisition.heldMode().isExclusive()) {
                hold.downgradeOne();
                acquisition.toMode(LockMode.READ);
                if (hold.writes == 0) {
                    HoldConversion.toReader(lock, hold, effects);
                    Granter.advance(lock, effects);
                }
            }
        });
    }

    /**
     * Tries to make a shared acquisition exclusive (rule D3). The waiter's state tells the outcome, at once or later: GRANTED or BUSY.
     *
     * @return why it was lost, and stays as it was, or null
     */
    public static @Nullable LockLostException tryUpgrade(Acquisition acquisition, LocalWaiter waiter) {
        LocalState lock = LocalState.of(acquisition.hold());
        LockLostException lost = change(lock, acquisition, effects -> {
            if (acquisition.heldMode().isExclusive()) {
                waiter.grant(acquisition.hold(), true);
            } else {
                HoldConversion.tryUpgrade(lock, acquisition, waiter, effects);
            }
        });
        if (lost != null || acquisition.isEnded()) {
            giveUp(lock, waiter);
        }
        return lost;
    }

    private static void giveUp(LocalState lock, LocalWaiter waiter) {
        lock.mutex.lock();
        try {
            if (waiter.state() == LocalWaiter.State.WAITING && lock.upgrader != waiter) {
                waiter.settle(LocalWaiter.State.BUSY, null);
            }
        } finally {
            lock.mutex.unlock();
        }
    }

    /** Changes an acquisition unless it was given back or lost; returns why it was lost, or null. */
    private static @Nullable LockLostException change(
            LocalState lock, Acquisition acquisition, Consumer<Effects> change) {
        lock.event(effects -> {
            Losses.loseIfOver(lock, acquisition.hold(), effects);
            if (!acquisition.isEnded() && acquisition.lost() == null) {
                change.accept(effects);
            }
        });
        return acquisition.lost();
    }

    // ---------------------------------------------------------------- ceilings and losses

    /** Ends a hold, with all its acquisitions, because its ceiling was reached. Does nothing if it ended before. */
    public static void expire(Hold hold, Ceiling reached) {
        LocalState lock = LocalState.of(hold);
        lock.event(effects -> Losses.loseToOwner(lock, hold, reached.reached(lock.title()), effects));
    }

    /** Ends an acquisition because its own ceiling was reached; others of its hold go on. Does nothing if it ended before. */
    public static void expire(Acquisition acquisition, Ceiling reached) {
        LocalState lock = LocalState.of(acquisition.hold());
        lock.event(effects -> {
            if (!acquisition.isEnded() && acquisition.lost() == null) {
                end(lock, acquisition, reached.reached(lock.title()), effects);
            }
        });
    }

    /**
     * Adds an action that runs when an acquisition is lost; runs it at once if the acquisition is lost already.
     *
     * @param quick whether it may run on the thread that finds the loss, where it must neither block nor throw; else it runs on a
     *     thread for callbacks
     */
    public static void whenLost(Acquisition acquisition, Runnable action, boolean quick) {
        LocalState lock = LocalState.of(acquisition.hold());
        boolean now;
        lock.mutex.lock();
        try {
            now = acquisition.lost() != null;
            if (!now) {
                acquisition.listen(new LossListeners.Listener(action, quick));
            }
        } finally {
            lock.mutex.unlock();
        }
        if (now) {
            action.run();
        }
    }

    /** Returns whether the lease that a hold rests on has not run out by this process's clock (rule C1). Takes no mutex. */
    public static boolean mayTrustLease(Hold hold) {
        return mayTrustLease(hold, LocalState.of(hold).host.clock().nanoTime());
    }

    /** Returns the same, for the time {@code now} on this process's clock. */
    public static boolean mayTrustLease(Hold hold, long now) {
        return LocalState.of(hold).leaseValid(now);
    }

    /** Returns the remote side of the lock that is held, or null without a session. */
    public static @Nullable CqlLock remote(Hold hold) {
        LocalState lock = LocalState.of(hold);
        lock.mutex.lock();
        try {
            return lock.remote();
        } finally {
            lock.mutex.unlock();
        }
    }
}
