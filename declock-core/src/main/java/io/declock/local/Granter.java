// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.local;

import io.declock.DecLockException;
import io.declock.monitor.Counters.Event;
import io.declock.monitor.GrantKind;
import io.declock.protocol.CqlLock;
import io.declock.protocol.Effects;
import org.jspecify.annotations.Nullable;

/**
 * What moves one lock on: lets callers in or queues them, has a remote position taken for who waits, hands over inside this node
 * while {@link Turn} permits, and gives the position back. Guarded by the lock's mutex.
 */
final class Granter {
    private final LocalLock lock;
    private final LocalHost host;
    private final WaiterQueue queue;
    private final Holds holds;
    private final SessionBinding binding;

    Granter(LocalLock lock, LocalHost host, WaiterQueue queue, Holds holds, SessionBinding binding) {
        this.lock = lock;
        this.host = host;
        this.queue = queue;
        this.holds = holds;
        this.binding = binding;
    }

    // ---------------------------------------------------------------- entering

    /** Decides a caller that has no hold, or queues it. */
    void enter(LocalWaiter waiter, Effects effects) {
        CqlLock remote = binding.remote();
        if (!waiter.isExclusive() && remote != null && mayJoinReaders(remote)) {
            grant(waiter, remote, GrantKind.UNCONTENDED, null);
            remote.prefetch(effects);
            return;
        }
        if (waiter.noWait && !mayTry(remote)) {
            waiter.settle(LocalWaiter.State.BUSY, null);
            return;
        }
        waiter.stamp(binding.session());
        queue.add(waiter);
        if (queue.first() == waiter && holds.hasWriter()) {
            waiter.toNextInLine();
        }
        advance(effects);
        if (waiter.queued && remote != null && remote.state() == CqlLock.State.HELD) {
            remote.prefetch(effects);
        }
    }

    private boolean mayJoinReaders(CqlLock remote) {
        return holds.readers() > 0
                && remote.state() == CqlLock.State.HELD
                && !remote.isConverting()
                && !remote.isFrozen()
                && !remote.tenure().knowsRemote()
                && queue.isEmpty()
                && binding.leaseValid();
    }

    private boolean mayTry(@Nullable CqlLock remote) {
        if (!queue.isEmpty() || !holds.isEmpty()) {
            return false;
        }
        return remote == null
                || (remote.state() == CqlLock.State.IDLE || remote.state() == CqlLock.State.LEAVING)
                        && !remote.isFrozen();
    }

    // ---------------------------------------------------------------- moving on

    /** Does whatever can be done now; called after every change. */
    void advance(Effects effects) {
        CqlLock remote = binding.remote();
        if (remote == null) {
            if (!queue.isEmpty() && binding.beginResolving()) {
                effects.run(() -> host.bind(lock));
            }
            return;
        }
        if (remote.state() == CqlLock.State.IDLE) {
            takePosition(remote, effects);
        } else if (remote.state() == CqlLock.State.HELD && !remote.isConverting() && !holds.hasWriter()) {
            if (holds.readers() > 0) {
                shareWithReaders(remote, false, effects);
            } else if (remote.isFrozen()) {
                remote.release(effects);
            } else {
                handOver(remote, effects);
            }
        }
    }

    private @Nullable LocalWaiter next() {
        return Turn.next(queue, host.localSettings(), holds.isAfterWriter());
    }

    private void takePosition(CqlLock remote, Effects effects) {
        LocalWaiter first = next();
        if (first == null || !binding.leaseValid()) {
            return;
        }
        if (first.noWait) {
            if (remote.isFrozen()) {
                notGranted(effects);
            } else {
                remote.tryAcquire(first.isExclusive(), first.timestamp, effects);
            }
        } else {
            remote.acquire(first.isExclusive(), first.timestamp, effects);
        }
    }

    private void handOver(CqlLock remote, Effects effects) {
        LocalWaiter next = next();
        if (next == null) {
            remote.release(effects);
        } else if (!binding.leaseValid()) {
            // The session is over by our own clock (rule C1); its loss is on the way and starts everybody anew.
            return;
        } else if (Turn.mayStay(remote, next, host.localSettings(), host.clock())) {
            remote.tenure().handOver();
            grant(next, remote, GrantKind.LOCAL, effects);
            beginReadPhase(next, remote, effects);
        } else {
            remote.requeue(next.isExclusive(), next.timestamp, effects);
        }
    }

    /** A reader was granted: the readers that may share with it join, at the start of a phase also past waiting writers. */
    private void beginReadPhase(LocalWaiter granted, CqlLock remote, Effects effects) {
        if (granted.isExclusive()) {
            return;
        }
        LocalWaiter passed = Turn.passedWriter(queue, host.localSettings());
        if (passed != null) {
            passed.passedBy++;
        }
        shareWithReaders(remote, passed != null, effects);
    }

    private void shareWithReaders(CqlLock remote, boolean passWriters, Effects effects) {
        if (holds.hasWriter() || remote.isFrozen() || remote.isConverting() || !binding.leaseValid()) {
            return;
        }
        LocalWaiter waiter = queue.first();
        while (waiter != null && !Turn.endsReadPhase(waiter, passWriters, remote.tenure())) {
            LocalWaiter following = waiter.next;
            if (!waiter.isExclusive()) {
                grant(waiter, remote, GrantKind.LOCAL, effects);
            }
            waiter = following;
        }
    }

    private void grant(LocalWaiter waiter, CqlLock remote, GrantKind kind, @Nullable Effects effects) {
        queue.remove(waiter);
        Hold hold = new Hold(
                lock, waiter.owner, waiter.mode, remote.token(), host.clock().nanoTime(), kind);
        holds.begin(hold);
        waiter.grant(hold, false);
        if (effects != null) {
            effects.run(waiter);
        }
    }

    // ---------------------------------------------------------------- what the remote level says

    /** The remote position holds the lock now. */
    void granted(GrantKind kind, Effects effects) {
        CqlLock remote = binding.remote();
        if (remote == null) {
            return;
        }
        LocalWaiter next = next();
        if (next == null) {
            binding.count(Event.ORPHAN);
            if (remote.isFrozen()) {
                advance(effects);
            } else {
                remote.release(effects);
            }
        } else if (next.isExclusive() && !remote.isExclusive()) {
            advance(effects);
        } else if (!remote.isFrozen() && binding.leaseValid()) {
            grant(next, remote, kind, effects);
            beginReadPhase(next, remote, effects);
        } else {
            advance(effects);
        }
    }

    /** The remote position that must not wait was not granted: neither is the caller that must not. */
    void notGranted(Effects effects) {
        LocalWaiter first = queue.first();
        if (first != null && first.noWait) {
            queue.remove(first);
            first.settle(LocalWaiter.State.BUSY, null);
            effects.run(first);
        }
        advance(effects);
    }

    /** There is no remote level to be had: nobody who waits will get the lock. */
    void failAll(DecLockException failure, Effects effects) {
        for (LocalWaiter waiter = queue.first(); waiter != null; waiter = queue.first()) {
            queue.remove(waiter);
            waiter.settle(LocalWaiter.State.FAILED, failure);
            effects.run(waiter);
        }
    }
}
