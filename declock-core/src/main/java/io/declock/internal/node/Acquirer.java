// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.ComputeNodeSettings;
import io.declock.Counters;
import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.ShuttingDownException;
import io.declock.internal.local.Acquisition;
import io.declock.internal.local.Ceiling;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.Clock;
import io.declock.spi.LockObserver;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Acquires one name for a thread that waits for it, and gives acquisitions back. Thread-safe. */
final class Acquirer {
    /** The wait time without a limit. */
    static final long FOR_EVER = Long.MAX_VALUE;

    /** The value of a deadline that was not needed yet. */
    static final long NOT_SET = Long.MIN_VALUE;

    private final Clock clock;
    private final LockTable table;
    private final Callers callers;
    private final Predicate<String> unavailable;
    private final LockObserver observer;
    private final boolean observed;
    private final NodeCounters counters;
    private final long spinNanos;
    private final long leaseNanos;

    /**
     * Makes an acquirer.
     *
     * @param unavailable whether the memory node of a name is unavailable
     */
    Acquirer(
            ComputeNodeSettings settings,
            Clock clock,
            LockTable table,
            Callers callers,
            Predicate<String> unavailable,
            LockObserver observer,
            NodeCounters counters) {
        this.clock = clock;
        this.table = table;
        this.callers = callers;
        this.unavailable = unavailable;
        this.observer = observer;
        this.observed = !observer.equals(LockObserver.NONE);
        this.counters = counters;
        this.spinNanos = settings.spin().toNanos();
        this.leaseNanos = settings.lease().toNanos();
    }

    /**
     * Waits for one name.
     *
     * @param waitNanos 0 not to queue at all, {@link #FOR_EVER} for no limit
     * @param byView whether the acquisition will have no handle
     * @return the waiter that was granted, or null if the time ran out
     * @throws LockLostException if the owner has lost the lock and not released it since
     */
    @Nullable
    LocalWaiter acquire(String name, LockMode mode, Object owner, long waitNanos, boolean interruptible, boolean byView)
            throws InterruptedException {
        return acquire(name, mode, owner, waitNanos, interruptible, byView, null);
    }

    /**
     * As above.
     *
     * @param whenAsked told of the lock when the caller has asked for it and has to wait, or null
     */
    @Nullable
    LocalWaiter acquire(
            String name,
            LockMode mode,
            Object owner,
            long waitNanos,
            boolean interruptible,
            boolean byView,
            @Nullable Consumer<LocalLock> whenAsked)
            throws InterruptedException {
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        LockObserver.@Nullable Asked asked = asked(name, mode);
        long deadline = NOT_SET;
        long began = NOT_SET;
        while (true) {
            ThreadWaiter waiter = new ThreadWaiter(owner, mode, waitNanos == 0, byView);
            LocalLock lock = enter(name, waiter);
            began = began == NOT_SET ? waiter.since() : began;
            boolean waits = waiter.state() == LocalWaiter.State.WAITING;
            if (waits) {
                if (whenAsked != null) {
                    whenAsked.accept(lock);
                }
                deadline = deadline == NOT_SET ? deadlineIn(waitNanos) : deadline;
                if (!await(waiter, deadline, interruptible) && lock.abandon(waiter)) {
                    return gaveUp(name, mode, began, interruptible);
                }
            }
            switch (waiter.state()) {
                case GRANTED -> {
                    if (!mayReturn(waiter, waits)) {
                        HeldLock.release(waiter.hold(), mode, byView);
                        continue;
                    }
                    return granted(name, waiter, began, asked);
                }
                case FAILED -> throw failed(name, waiter, began);
                default -> {
                    return timedOut(name, mode, began);
                }
            }
        }
    }

    /**
     * Returns whether a hold may be given to its caller. A caller that waited may have slept since the grant, so the lease is checked once
     * more (rule C1).
     */
    static boolean mayReturn(LocalWaiter waiter, boolean waited) {
        Hold hold = waiter.hold();
        return hold.lost() == null && (!waited || HeldLock.mayTrustLease(hold));
    }

    private boolean await(ThreadWaiter waiter, long deadline, boolean interruptible) {
        callers.waiting(1);
        try {
            return waiter.await(deadline, interruptible, spinNanos, counters);
        } finally {
            callers.waiting(-1);
        }
    }

    /**
     * Returns the deadline of a wait that begins now. A caller that must not queue still needs an answer from the memory node, and waits
     * one lease for it.
     */
    private long deadlineIn(long waitNanos) {
        long bound = bound(waitNanos);
        long now = System.nanoTime();
        return bound == FOR_EVER || now + bound < now ? FOR_EVER : now + bound;
    }

    long bound(long waitNanos) {
        return waitNanos == 0 ? leaseNanos : waitNanos;
    }

    private long since(long began) {
        return clock.nanoTime() - began;
    }

    private @Nullable LocalWaiter gaveUp(String name, LockMode mode, long began, boolean interruptible)
            throws InterruptedException {
        boolean interrupted = interruptible && Thread.interrupted();
        if (interrupted) {
            notGranted(name, mode, LockObserver.Outcome.CANCELLED, began);
            throw new InterruptedException();
        }
        return timedOut(name, mode, began);
    }

    /** As {@link #notGranted}, when the time ran out: a caller that waited for its memory node shows no busy lock. */
    @Nullable
    LocalWaiter timedOut(String name, LockMode mode, long began) {
        boolean down = observed && unavailable.test(name);
        return notGranted(name, mode, down ? LockObserver.Outcome.UNAVAILABLE : LockObserver.Outcome.TIMED_OUT, began);
    }

    /** Tells the observer of an acquisition that ends without a lock; returns null, the result of such an acquisition. */
    @Nullable
    LocalWaiter notGranted(String name, LockMode mode, LockObserver.Outcome outcome, long began) {
        observer.notGranted(name, mode, outcome, since(began));
        return null;
    }

    /** Lets a waiter into its lock, or queues it there. */
    LocalLock enter(String name, LocalWaiter waiter) {
        LocalLock lock = table.get(name);
        if (!callers.areAccepted() && lock.findHold(waiter.owner()) == null) {
            throw new ShuttingDownException(
                    "lock " + LockNames.quoted(name) + " was not acquired: this process is shutting down");
        }
        try {
            while (!lock.acquire(waiter)) {
                Thread.onSpinWait();
                lock = table.get(name);
            }
        } catch (RuntimeException | Error e) {
            // An effect of the acquisition failed: this caller will neither wait for the lock nor release it.
            if (!lock.abandon(waiter) && waiter.state() == LocalWaiter.State.GRANTED) {
                HeldLock.release(waiter.hold(), waiter.mode(), waiter.isByView());
            }
            throw e;
        }
        return lock;
    }

    /** Tells the observer that an acquisition begins. */
    LockObserver.@Nullable Asked asked(String name, LockMode mode) {
        return observed ? observer.asked(name, mode) : null;
    }

    LocalWaiter granted(String name, LocalWaiter waiter, long began, LockObserver.@Nullable Asked asked) {
        if (!waiter.isReentrant()) {
            Hold hold = waiter.hold();
            counters.count(event(hold.kind()));
            if (observed) {
                observer.granted(name, waiter.mode(), hold.kind(), since(began));
            }
            LockObserver.Held held = asked == null ? null : asked.held(hold.token());
            if (held != null) {
                hold.watch(held);
            }
        }
        return waiter;
    }

    DecLockException failed(String name, LocalWaiter waiter, long began) {
        DecLockException failure = waiter.failure();
        boolean refused = failure instanceof LockNotGrantedException || failure instanceof LockLostException;
        notGranted(
                name, waiter.mode(), refused ? LockObserver.Outcome.REFUSED : LockObserver.Outcome.UNAVAILABLE, began);
        return failure == null ? new DecLockException("the acquisition failed") : failure;
    }

    /**
     * Gives back an acquisition that was made through a view or has no handle yet.
     *
     * @return why the lock had been lost, or null
     */
    @Nullable
    LockLostException release(Hold hold, LockMode mode, boolean byView) {
        LockLostException lost = HeldLock.release(hold, mode, byView);
        released(hold, mode);
        return lost;
    }

    /** Gives back one acquisition of a handle. Returns why the lock had been lost, or null. */
    @Nullable
    LockLostException release(Acquisition acquisition) {
        Ceiling own = acquisition.ceiling();
        if (own != null) {
            own.cancel();
        }
        LockMode mode = acquisition.heldMode();
        LockLostException lost = HeldLock.release(acquisition);
        released(acquisition.hold(), mode);
        return lost;
    }

    private void released(Hold hold, LockMode mode) {
        Ceiling ceiling = hold.ceiling();
        if (ceiling != null && hold.isOver()) {
            ceiling.cancel();
        }
        if (observed && hold.takeRelease()) {
            observer.released(hold.lock().name(), mode, since(hold.grantedAt()));
        }
    }

    @Nullable
    Hold findHold(String name, Object owner) {
        LocalLock lock = table.find(name);
        return lock == null ? null : lock.findHold(owner);
    }

    Clock clock() {
        return clock;
    }

    NodeCounters counters() {
        return counters;
    }

    private static Counters.Event event(GrantKind kind) {
        return switch (kind) {
            case UNCONTENDED -> Counters.Event.GRANT_UNCONTENDED;
            case QUEUED -> Counters.Event.GRANT_QUEUED;
            case LOCAL -> Counters.Event.GRANT_LOCAL;
            case PEER -> Counters.Event.GRANT_PEER;
        };
    }
}
