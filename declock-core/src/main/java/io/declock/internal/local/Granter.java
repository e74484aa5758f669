// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.Counters.Event;
import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.KeepSettings;
import io.declock.UpgradeRefusedException;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import io.declock.internal.protocol.PositionState;
import org.jspecify.annotations.Nullable;

/**
 * Advances one lock: takes a remote position for the waiters, grants them the lock, hands over inside this node while {@link Turn} permits,
 * and gives the position back.
 */
final class Granter {
    private Granter() {}

    // ---------------------------------------------------------------- advancing

    /** Takes every step that is possible now; called after every change. */
    static void advance(LocalState lock, Effects effects) {
        CqlLock remote = lock.remote();
        if (remote == null) {
            if (!lock.queue.isEmpty() && lock.beginResolving()) {
                effects.run(lock.front::bind);
            }
            return;
        }
        if (remote.state() == PositionState.IDLE) {
            takePosition(lock, remote, effects);
        } else if (remote.state() == PositionState.HELD && !remote.isConverting() && !lock.holds.hasWriter()) {
            if (lock.holds.readers() > 0) {
                shareWithReaders(lock, remote, false, effects);
            } else if (remote.isFrozen()) {
                remote.release(effects);
            } else {
                handOver(lock, remote, effects);
            }
        }
    }

    private static @Nullable LocalWaiter next(LocalState lock) {
        return Turn.next(lock.queue, lock.host.localSettings(), lock.holds.isAfterWriter());
    }

    private static void takePosition(LocalState lock, CqlLock remote, Effects effects) {
        LocalWaiter first = next(lock);
        if (first == null || !lock.leaseValid(effects.now())) {
            return;
        }
        if (first.noWait) {
            if (remote.isFrozen()) {
                notGranted(lock, effects);
            } else {
                remote.tryAcquire(first.isExclusive(), first.timestamp, effects);
            }
        } else {
            remote.acquire(first.isExclusive(), first.timestamp, effects);
        }
    }

    private static void handOver(LocalState lock, CqlLock remote, Effects effects) {
        LocalWaiter next = next(lock);
        if (next == null) {
            keepOrRelease(lock, remote, effects);
        } else if (!lock.leaseValid(effects.now())) {
            // The lease has run out by this node's own clock (rule C1); the loss of the session follows and starts all
            // waiters anew.
            return;
        } else if (!remote.awaitsTokens()) {
            switch (Turn.passing(remote, next, lock.host, effects)) {
                case ALLOWED -> {
                    if (Turn.needsToken(remote)) {
                        remote.tenure().nextToken();
                    }
                    if (remote.isKept()) {
                        lock.keeping.serves();
                        remote.renewKept(effects);
                    }
                    grantLocally(lock, next, remote, effects);
                    beginReadPhase(lock, next, remote, effects);
                    lookAhead(lock, remote, effects);
                }
                case AFTER_LOOK -> remote.look(effects);
                case FORBIDDEN -> giveUp(lock, remote, next, effects);
            }
        }
    }

    /** The last user is gone, and nobody waits here. */
    private static void keepOrRelease(LocalState lock, CqlLock remote, Effects effects) {
        if (remote.isKept()
                && !remote.tenure().knowsRemote()
                && remote.environment().allAskForKept()
                && !lock.host.isClosed()) {
            lock.keeping.isUnused(effects.now());
        } else if (mayKeep(lock, remote, effects)) {
            lock.keeping.isUnused(effects.now());
            remote.keep(effects);
        } else {
            giveBack(lock, remote, remote.tenure().knowsRemote(), effects);
        }
    }

    private static boolean mayKeep(LocalState lock, CqlLock remote, Effects effects) {
        KeepSettings settings = lock.host.kept().settings();
        return settings.enabled()
                && !remote.tenure().knowsRemote()
                && lock.keeping.isWorthIt(settings.after(), lock.host.kept().pays())
                && remote.environment().allAskForKept()
                && !lock.host.isClosed()
                && lock.leaseValid(effects.now())
                && lock.front.admitKept();
    }

    private static void giveBack(LocalState lock, CqlLock remote, boolean wanted, Effects effects) {
        if (remote.isKept()) {
            KeptLocks kept = lock.host.kept();
            kept.gaveBack(lock.keeping.givesBack(
                    remote.epoch(), remote.index(), wanted, kept.settings().after()));
            lock.front.removeKept();
        }
        remote.release(effects);
    }

    /** Returns whether this node keeps the lock and holds it for nobody. */
    static boolean isKeptUnused(LocalState lock) {
        CqlLock remote = lock.remote();
        return remote != null
                && remote.isKept()
                && remote.state() == PositionState.HELD
                && !remote.isConverting()
                && lock.holds.isEmpty()
                && lock.queue.isEmpty();
    }

    /** Gives a kept position back that has had no user for that long. */
    static void giveBackUnused(LocalState lock, long nanos, Effects effects) {
        CqlLock remote = lock.remote();
        if (remote == null || !remote.isKept()) {
            lock.front.removeKept();
        } else if (isKeptUnused(lock) && lock.keeping.isUnusedFor(nanos, effects.now())) {
            giveBack(lock, remote, false, effects);
        }
    }

    /** Gives a kept position back that has no user, because a caller elsewhere asks for it; returns whether it does. */
    static boolean giveBackWanted(LocalState lock, Effects effects) {
        CqlLock remote = lock.remote();
        if (remote == null || !isKeptUnused(lock)) {
            return false;
        }
        giveBack(lock, remote, true, effects);
        return true;
    }

    private static void giveUp(LocalState lock, CqlLock remote, LocalWaiter next, Effects effects) {
        lock.keeping.leaves(remote.epoch(), remote.index());
        if (next.noWait) {
            // It must not wait behind others: it tries again on its own.
            remote.release(effects);
        } else {
            remote.requeue(next.isExclusive(), next.timestamp, effects);
        }
    }

    /** Lets a reader that has just come join the readers of this node. */
    static void join(LocalState lock, LocalWaiter waiter, CqlLock remote, Effects effects) {
        notePassing(lock, waiter, remote, effects);
        admit(lock, waiter, remote, GrantKind.UNCONTENDED, effects);
        if (lock.host.precedence().looksAhead()) {
            remote.prefetch(effects);
        }
    }

    private static void notePassing(LocalState lock, LocalWaiter granted, CqlLock remote, Effects effects) {
        remote.tenure().grantsLocally(granted.since, effects.now());
        lock.host.precedence().grantsLocally(remote.tenure());
    }

    private static void grantLocally(LocalState lock, LocalWaiter next, CqlLock remote, Effects effects) {
        notePassing(lock, next, remote, effects);
        grant(lock, next, remote, GrantKind.LOCAL, effects);
    }

    /**
     * After a grant to a reader, the readers that may share the lock with it join; at the start of a phase they may pass waiting writers.
     */
    private static void beginReadPhase(LocalState lock, LocalWaiter granted, CqlLock remote, Effects effects) {
        if (granted.isExclusive()) {
            return;
        }
        LocalWaiter passed = Turn.passedWriter(lock.queue, lock.host.localSettings());
        if (passed != null) {
            passed.passedBy++;
        }
        shareWithReaders(lock, remote, passed != null, effects);
    }

    private static void shareWithReaders(LocalState lock, CqlLock remote, boolean passWriters, Effects effects) {
        if (lock.holds.hasWriter() || remote.isFrozen() || remote.isConverting() || !lock.leaseValid(effects.now())) {
            return;
        }
        LocalWaiter waiter = lock.queue.first();
        LocalHost host = lock.host;
        while (waiter != null && !Turn.endsReadPhase(waiter, passWriters, remote.tenure(), host, effects)) {
            LocalWaiter following = waiter.next;
            if (!waiter.isExclusive()) {
                grantLocally(lock, waiter, remote, effects);
            }
            // The grant may have removed further waiters of the same owner from the queue.
            waiter = following == null || following.queued ? following : lock.queue.first();
        }
        if (waiter != null && Turn.joinsAfterLook(remote, waiter, host, effects)) {
            remote.look(effects);
        }
    }

    /** READs the remote queue during a hold, so that the next hand-over need not wait for the READ. */
    static void lookAhead(LocalState lock, CqlLock remote, Effects effects) {
        if (Turn.wantsLook(remote, lock.queue.first(), lock.host)) {
            remote.prefetch(effects);
        }
    }

    private static void grant(LocalState lock, LocalWaiter waiter, CqlLock remote, GrantKind kind, Effects effects) {
        lock.queue.remove(waiter);
        admit(lock, waiter, remote, kind, effects);
        effects.run(waiter);
        if (waiter.hasExplicitOwner()) {
            decideSiblings(lock, waiter, effects);
        }
    }

    /** Gives a caller that is not queued its hold. */
    static void admit(LocalState lock, LocalWaiter waiter, CqlLock remote, GrantKind kind, Effects effects) {
        Hold hold = new Hold(lock, waiter.owner, remote.token(), effects.now(), kind);
        hold.add(waiter.mode, waiter.isByView());
        lock.holds.begin(hold);
        lock.host.held(1);
        waiter.grant(hold, false);
    }

    /** An owner has one hold: its other waiters here join that hold, or are refused because they would wait for their own owner. */
    private static void decideSiblings(LocalState lock, LocalWaiter granted, Effects effects) {
        LocalWaiter other = lock.queue.of(granted.owner);
        while (other != null) {
            lock.queue.remove(other);
            reenter(granted.hold(), other);
            effects.run(other);
            other = lock.queue.of(granted.owner);
        }
    }

    /**
     * Grants an owner that already holds the lock another acquisition, ahead of all waiters (rule D2), or refuses an acquisition that would
     * wait for the owner itself (rule O2).
     */
    static void reenter(Hold own, LocalWaiter waiter) {
        if (waiter.isExclusive() && !own.isExclusive()) {
            waiter.settle(
                    LocalWaiter.State.FAILED,
                    new UpgradeRefusedException(own.lock().title()
                            + " is held for reading by the same owner, which would wait for itself; "
                            + "use LockHandle.tryUpgrade() or release the read lock first"));
        } else {
            own.add(waiter.mode, waiter.isByView());
            waiter.grant(own, true);
        }
    }

    // ---------------------------------------------------------------- events of the remote level

    /** The remote position holds the lock now. */
    static void granted(LocalState lock, GrantKind kind, Effects effects) {
        CqlLock remote = lock.remote();
        if (remote == null) {
            return;
        }
        lock.keeping.acquired(remote.epoch(), remote.index(), kind == GrantKind.UNCONTENDED && !remote.isExclusive());
        LocalWaiter next = next(lock);
        if (next == null) {
            lock.count(Event.ORPHAN);
            if (remote.isFrozen()) {
                advance(lock, effects);
            } else {
                remote.release(effects);
            }
        } else if (next.isExclusive() && !remote.isExclusive()) {
            advance(lock, effects);
        } else if (!remote.isFrozen() && lock.leaseValid(effects.now())) {
            grant(lock, next, remote, kind, effects);
            beginReadPhase(lock, next, remote, effects);
            lookAhead(lock, remote, effects);
        } else {
            advance(lock, effects);
        }
        refuseTries(lock, effects);
    }

    /** A conversion, a reset or a look at the remote queue has ended. */
    static void settled(LocalState lock, Effects effects) {
        advance(lock, effects);
        CqlLock remote = lock.remote();
        if (remote != null && remote.state() == PositionState.HELD && !remote.isLooking()) {
            refuseTries(lock, effects);
        }
    }

    /** The remote position that must not wait was not granted, so the callers that must not wait are refused. */
    static void notGranted(LocalState lock, Effects effects) {
        refuseTries(lock, effects);
        advance(lock, effects);
    }

    /** Refuses the callers that must not wait and are still queued, because the answer that they awaited has arrived. */
    static void refuseTries(LocalState lock, Effects effects) {
        LocalWaiter waiter = lock.queue.tries() == 0 ? null : lock.queue.first();
        while (waiter != null) {
            LocalWaiter following = waiter.next;
            if (waiter.noWait) {
                lock.queue.remove(waiter);
                waiter.settle(LocalWaiter.State.BUSY, null);
                effects.run(waiter);
            }
            waiter = following;
        }
    }

    /** Fails every waiter, because the remote level is unavailable or the node shuts down. */
    static void failAll(LocalState lock, DecLockException failure, Effects effects) {
        for (LocalWaiter waiter = lock.queue.first(); waiter != null; waiter = lock.queue.first()) {
            lock.queue.remove(waiter);
            waiter.settle(LocalWaiter.State.FAILED, failure);
            effects.run(waiter);
        }
    }
}
