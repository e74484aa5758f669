// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.internal.protocol.Effects;

/** Ends holds that were lost, and notifies those that listen. */
final class Losses {
    private Losses() {}

    /**
     * Loses a hold whose lease has run out, or whose ceiling was reached. The end of the session, or the timer, does the same, but may come
     * too late for a caller that wakes from a pause (rule C1).
     */
    static void loseIfOver(LocalState lock, Hold hold, Effects effects) {
        Ceiling limit = hold.ceiling();
        if (!lock.leaseValid(effects.now())) {
            loseToOwner(
                    lock,
                    hold,
                    new LockLostException(
                            lock.title() + " was lost before it was released: the lease of its session ran out; "
                                    + "only the fencing token protects what its holder did since"),
                    effects);
        } else if (limit != null && limit.isReached(effects.now())) {
            loseToOwner(lock, hold, limit.reached(lock.title()), effects);
        }
    }

    /**
     * Loses a hold that is over for its owner, unless it has ended or was lost before. If the compute node itself has an acquisition of it, the
     * position is not given back: the hold of nobody that is left lasts as long as that, or ends with the session (rule R1).
     */
    static void loseToOwner(LocalState lock, Hold hold, LockLostException why, Effects effects) {
        Hold.Reserved reserved = hold.reserved();
        if (reserved == null) {
            lose(lock, hold, why, effects);
        } else if (!hold.isDisowned() && hold.lost() == null) {
            Hold rest = hold.split();
            lock.holds.remove(hold);
            toLost(lock, hold, why, effects);
            lock.holds.begin(rest);
            reserved.passesTo(rest);
        }
    }

    /** Loses a hold, unless it has ended or was lost before. */
    static void lose(LocalState lock, Hold hold, LockLostException why, Effects effects) {
        if (hold.lost() == null && lock.holds.contains(hold)) {
            lock.holds.remove(hold);
            toLost(lock, hold, why, effects);
            Granter.advance(lock, effects);
        }
    }

    /** Loses every hold; the lock is not advanced. */
    static void loseAll(LocalState lock, LockLostException why, Effects effects) {
        for (Hold hold : lock.holds.removeAll()) {
            toLost(lock, hold, why, effects);
        }
    }

    private static void toLost(LocalState lock, Hold hold, LockLostException why, Effects effects) {
        Hold.Reserved reserved = hold.reserved();
        if (reserved != null) {
            effects.run(reserved::lost);
        }
        if (hold.isDisowned()) {
            hold.endReserved();
            hold.lose(why);
            return;
        }
        // The mode is read now: the owner may have released the hold when the effects are performed.
        LockMode mode = hold.isExclusive() ? LockMode.WRITE : LockMode.READ;
        if (reserved != null) {
            hold.endReserved();
        }
        lock.holds.keepLost(hold);
        lock.host.held(-1);
        hold.lose(why);
        effects.run(() -> {
            lock.host.holdLost(lock.name(), mode);
            hold.tellLoss(why);
        });
        for (LossListeners listeners : hold.takeListening()) {
            tell(lock, listeners, effects);
        }
    }

    /** Notifies the listeners of an acquisition that is lost, alone or with its hold. */
    static void tell(LocalState lock, LossListeners listeners, Effects effects) {
        for (LossListeners.Listener listener : listeners.take()) {
            effects.run(listener.quick() ? listener.action() : () -> lock.host.tellOfLoss(listener.action()));
        }
    }
}
