// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.Counters.Event;
import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.LocalSettings;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.Effects;
import org.jspecify.annotations.Nullable;

/**
 * Advances one lock: grants callers the lock or queues them, takes a remote position for the waiters, hands over inside this node while
 * {@link Turn} permits, and gives the position back. Guarded by the lock's mutex.
 */
final class Granter {
    private Granter() {}

    // ---------------------------------------------------------------- entering

    /** Decides a caller that has no hold, or queues it. */
    static void enter(LocalLock lock, LocalWaiter waiter, Effects effects) {
        CqlLock remote = lock.binding.remote();
        if (!waiter.isExclusive() && remote != null && mayJoinReaders(lock, remote, effects)) {
            remote.tenure().grantsLocally(waiter.since, effects.now());
            admit(lock, waiter, remote, GrantKind.UNCONTENDED, effects);
            remote.prefetch(effects);
            return;
        }
        if (waiter.noWait && !mayTry(lock, waiter, remote) && !mayAwaitLook(lock, waiter, remote, effects)) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        waiter.stamp(lock.binding.session(), effects.now());
        lock.queue.add(waiter);
        if (lock.queue.first() == waiter && lock.holds.hasWriter()) {
            waiter.toNextInLine();
        }
        advance(lock, effects);
        if (waiter.queued && remote != null && remote.state() == CqlLock.State.HELD) {
            lookAhead(lock, remote, effects);
        }
    }

    /** READs the remote queue during a hold, so that the next hand-over need not wait for the READ. */
    private static void lookAhead(LocalLock lock, CqlLock remote, Effects effects) {
        if (Turn.wantsLook(remote, lock.queue.first())) {
            remote.prefetch(effects);
        }
    }

    private static boolean mayJoinReaders(LocalLock lock, CqlLock remote, Effects effects) {
        return lock.holds.readers() > 0
                && remote.state() == CqlLock.State.HELD
                && !remote.isConverting()
                && !remote.isFrozen()
                && Turn.mayJoin(remote, lock.host.localSettings(), effects.now())
                && lock.queue.isEmpty()
                && lock.binding.leaseValid(effects.now());
    }

    /**
     * Returns whether a caller that must not wait may try the remote queue: alone, or, if it is a reader among readers, together with the
     * readers whose operation is under way.
     */
    private static boolean mayTry(LocalLock lock, LocalWaiter waiter, @Nullable CqlLock remote) {
        if (!lock.holds.isEmpty() || remote != null && remote.isFrozen()) {
            return false;
        }
        if (!lock.queue.isEmpty()) {
            return !waiter.isExclusive() && lock.queue.writers() == 0 && (remote == null || isUndecided(remote));
        }
        return remote == null || remote.state() == CqlLock.State.IDLE || remote.state() == CqlLock.State.LEAVING;
    }

    /** Returns whether a look at the remote queue may show that a reader that must not wait may join the readers. */
    private static boolean mayAwaitLook(LocalLock lock, LocalWaiter waiter, @Nullable CqlLock remote, Effects effects) {
        return !waiter.isExclusive()
                && remote != null
                && !lock.holds.hasWriter()
                && (lock.holds.readers() > 0 || !lock.queue.isEmpty())
                && lock.queue.writers() == 0
                && remote.state() == CqlLock.State.HELD
                && !remote.isConverting()
                && !remote.isFrozen()
                && !remote.tenure().knowsRemote()
                && (remote.isLooking() || !Turn.mayJoin(remote, lock.host.localSettings(), effects.now()));
    }

    /** Returns whether the awaited answer may grant the position at once, to readers. */
    private static boolean isUndecided(CqlLock remote) {
        return switch (remote.state()) {
            case LEAVING -> true;
            case TRYING, ENQUEUING, REQUEUING, LEARNING -> !remote.isExclusive();
            default -> false;
        };
    }

    // ---------------------------------------------------------------- advancing

    /** Takes every step that is possible now; called after every change. */
    static void advance(LocalLock lock, Effects effects) {
        CqlLock remote = lock.binding.remote();
        if (remote == null) {
            if (!lock.queue.isEmpty() && lock.binding.beginResolving()) {
                effects.run(() -> lock.host.bind(lock));
            }
            return;
        }
        if (remote.state() == CqlLock.State.IDLE) {
            takePosition(lock, remote, effects);
        } else if (remote.state() == CqlLock.State.HELD && !remote.isConverting() && !lock.holds.hasWriter()) {
            if (lock.holds.readers() > 0) {
                shareWithReaders(lock, remote, false, effects);
            } else if (remote.isFrozen()) {
                remote.release(effects);
            } else {
                handOver(lock, remote, effects);
            }
        }
    }

    private static @Nullable LocalWaiter next(LocalLock lock) {
        return Turn.next(lock.queue, lock.host.localSettings(), lock.holds.isAfterWriter());
    }

    private static void takePosition(LocalLock lock, CqlLock remote, Effects effects) {
        LocalWaiter first = next(lock);
        if (first == null || !lock.binding.leaseValid(effects.now())) {
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

    private static void handOver(LocalLock lock, CqlLock remote, Effects effects) {
        LocalWaiter next = next(lock);
        if (next == null) {
            remote.release(effects);
        } else if (!lock.binding.leaseValid(effects.now())) {
            // The lease has run out by this node's own clock (rule C1); the loss of the session follows and starts all
            // waiters anew.
            return;
        } else {
            switch (Turn.passing(remote, next, lock.host.localSettings(), effects)) {
                case ALLOWED -> {
                    remote.tenure().handOver();
                    grantLocally(lock, next, remote, effects);
                    beginReadPhase(lock, next, remote, effects);
                    lookAhead(lock, remote, effects);
                }
                case AFTER_LOOK -> remote.look(effects);
                case FORBIDDEN -> giveUp(remote, next, effects);
            }
        }
    }

    private static void giveUp(CqlLock remote, LocalWaiter next, Effects effects) {
        if (next.noWait) {
            // It must not wait behind others: it tries again on its own.
            remote.release(effects);
        } else {
            remote.requeue(next.isExclusive(), next.timestamp, effects);
        }
    }

    private static void grantLocally(LocalLock lock, LocalWaiter next, CqlLock remote, Effects effects) {
        remote.tenure().grantsLocally(next.since, effects.now());
        grant(lock, next, remote, GrantKind.LOCAL, effects);
    }

    /**
     * After a grant to a reader, the readers that may share the lock with it join; at the start of a phase they may pass waiting writers.
     */
    private static void beginReadPhase(LocalLock lock, LocalWaiter granted, CqlLock remote, Effects effects) {
        if (granted.isExclusive()) {
            return;
        }
        LocalWaiter passed = Turn.passedWriter(lock.queue, lock.host.localSettings());
        if (passed != null) {
            passed.passedBy++;
        }
        shareWithReaders(lock, remote, passed != null, effects);
    }

    private static void shareWithReaders(LocalLock lock, CqlLock remote, boolean passWriters, Effects effects) {
        if (lock.holds.hasWriter()
                || remote.isFrozen()
                || remote.isConverting()
                || !lock.binding.leaseValid(effects.now())) {
            return;
        }
        LocalWaiter waiter = lock.queue.first();
        LocalSettings settings = lock.host.localSettings();
        while (waiter != null && !Turn.endsReadPhase(waiter, passWriters, remote.tenure(), settings, effects)) {
            LocalWaiter following = waiter.next;
            if (!waiter.isExclusive()) {
                grantLocally(lock, waiter, remote, effects);
            }
            // The grant may have removed further waiters of the same owner from the queue.
            waiter = following == null || following.queued ? following : lock.queue.first();
        }
        if (waiter != null && Turn.joinsAfterLook(remote, waiter, settings, effects)) {
            remote.look(effects);
        }
    }

    private static void grant(LocalLock lock, LocalWaiter waiter, CqlLock remote, GrantKind kind, Effects effects) {
        lock.queue.remove(waiter);
        admit(lock, waiter, remote, kind, effects);
        effects.run(waiter);
        if (waiter.hasExplicitOwner()) {
            decideSiblings(lock, waiter, effects);
        }
    }

    private static void admit(LocalLock lock, LocalWaiter waiter, CqlLock remote, GrantKind kind, Effects effects) {
        Hold hold = new Hold(lock, waiter, remote.token(), effects.now(), kind);
        lock.holds.begin(hold);
        waiter.grant(hold, false);
    }

    /** An owner has one hold: its other waiters here join that hold, or are refused because they would wait for their own owner. */
    private static void decideSiblings(LocalLock lock, LocalWaiter granted, Effects effects) {
        LocalWaiter other = lock.queue.of(granted.owner);
        while (other != null) {
            lock.queue.remove(other);
            lock.holds.reenter(granted.hold(), other);
            effects.run(other);
            other = lock.queue.of(granted.owner);
        }
    }

    // ---------------------------------------------------------------- events of the remote level

    /** The remote position holds the lock now. */
    static void granted(LocalLock lock, GrantKind kind, Effects effects) {
        CqlLock remote = lock.binding.remote();
        if (remote == null) {
            return;
        }
        LocalWaiter next = next(lock);
        if (next == null) {
            lock.binding.count(Event.ORPHAN);
            if (remote.isFrozen()) {
                advance(lock, effects);
            } else {
                remote.release(effects);
            }
        } else if (next.isExclusive() && !remote.isExclusive()) {
            advance(lock, effects);
        } else if (!remote.isFrozen() && lock.binding.leaseValid(effects.now())) {
            grant(lock, next, remote, kind, effects);
            beginReadPhase(lock, next, remote, effects);
            lookAhead(lock, remote, effects);
        } else {
            advance(lock, effects);
        }
        refuseTries(lock, effects);
    }

    /** A conversion, a reset or a look at the remote queue has ended. */
    static void settled(LocalLock lock, Effects effects) {
        advance(lock, effects);
        CqlLock remote = lock.binding.remote();
        if (remote != null && remote.state() == CqlLock.State.HELD && !remote.isLooking()) {
            refuseTries(lock, effects);
        }
    }

    /** The remote position that must not wait was not granted, so the callers that must not wait are refused. */
    static void notGranted(LocalLock lock, Effects effects) {
        refuseTries(lock, effects);
        advance(lock, effects);
    }

    /** Refuses the callers that must not wait and are still queued, because the answer that they awaited has arrived. */
    static void refuseTries(LocalLock lock, Effects effects) {
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
    static void failAll(LocalLock lock, DecLockException failure, Effects effects) {
        for (LocalWaiter waiter = lock.queue.first(); waiter != null; waiter = lock.queue.first()) {
            lock.queue.remove(waiter);
            waiter.settle(LocalWaiter.State.FAILED, failure);
            effects.run(waiter);
        }
    }
}
