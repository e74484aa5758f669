// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.Counters;
import io.declock.DecLockException;
import io.declock.GrantKind;
import io.declock.LockLostException;
import io.declock.LockMode;
import io.declock.LockNames;
import io.declock.LockNotGrantedException;
import io.declock.ShuttingDownException;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.NodeCounters;
import io.declock.internal.time.TimerService;
import io.declock.spi.LockObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Acquires one name, blocking a thread or with a future. Thread-safe. */
final class Acquirer {
    /** The wait time without a limit. */
    static final long FOR_EVER = Long.MAX_VALUE;

    /** The value of a deadline that was not needed yet. */
    private static final long NOT_SET = Long.MIN_VALUE;

    private final ComputeNode node;
    private final LockTable table;
    private final LockObserver observer;
    private final boolean observed;
    private final NodeCounters counters;
    private final long spinNanos;

    Acquirer(ComputeNode node, LockTable table, LockObserver observer, NodeCounters counters, long spinNanos) {
        this.node = node;
        this.table = table;
        this.observer = observer;
        this.observed = !observer.equals(LockObserver.NONE);
        this.counters = counters;
        this.spinNanos = spinNanos;
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
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        long deadline = NOT_SET;
        long began = NOT_SET;
        while (true) {
            ThreadWaiter waiter = new ThreadWaiter(owner, mode, waitNanos == 0, byView);
            LocalLock lock = enter(name, waiter);
            began = began == NOT_SET ? waiter.since() : began;
            boolean waits = waiter.state() == LocalWaiter.State.WAITING;
            if (waits) {
                deadline = deadline == NOT_SET ? deadlineIn(waitNanos) : deadline;
                if (!await(waiter, deadline, interruptible) && lock.abandon(waiter)) {
                    return gaveUp(mode, began, interruptible);
                }
            }
            switch (waiter.state()) {
                case GRANTED -> {
                    if (!mayReturn(waiter, waits)) {
                        HeldLock.release(waiter.hold(), mode, byView);
                        continue;
                    }
                    return granted(waiter, began);
                }
                case FAILED -> throw failed(waiter, began);
                default -> {
                    observer.notGranted(mode, LockObserver.Outcome.TIMED_OUT, since(began));
                    return null;
                }
            }
        }
    }

    /**
     * Returns whether a hold may be given to its caller. A caller that waited may have slept since the grant, so the lease is checked once
     * more (rule C1).
     */
    private static boolean mayReturn(LocalWaiter waiter, boolean waited) {
        Hold hold = waiter.hold();
        return hold.lost() == null && (!waited || HeldLock.mayTrustLease(hold));
    }

    private boolean await(ThreadWaiter waiter, long deadline, boolean interruptible) {
        node.waiting(1);
        try {
            return waiter.await(deadline, interruptible, spinNanos, counters);
        } finally {
            node.waiting(-1);
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

    private long bound(long waitNanos) {
        return waitNanos == 0 ? node.settings().lease().toNanos() : waitNanos;
    }

    private long since(long began) {
        return node.clock().nanoTime() - began;
    }

    private @Nullable LocalWaiter gaveUp(LockMode mode, long began, boolean interruptible) throws InterruptedException {
        boolean interrupted = interruptible && Thread.interrupted();
        observer.notGranted(
                mode, interrupted ? LockObserver.Outcome.CANCELLED : LockObserver.Outcome.TIMED_OUT, since(began));
        if (interrupted) {
            throw new InterruptedException();
        }
        return null;
    }

    /** Lets a waiter into its lock, or queues it there. */
    LocalLock enter(String name, LocalWaiter waiter) {
        LocalLock lock = table.get(name);
        if (!node.accepts() && lock.findHold(waiter.owner()) == null) {
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

    private LocalWaiter granted(LocalWaiter waiter, long began) {
        if (!waiter.isReentrant()) {
            Hold hold = waiter.hold();
            counters.count(event(hold.kind()));
            if (observed) {
                observer.granted(waiter.mode(), hold.kind(), since(began));
            }
        }
        return waiter;
    }

    private DecLockException failed(LocalWaiter waiter, long began) {
        DecLockException failure = waiter.failure();
        boolean refused = failure instanceof LockNotGrantedException || failure instanceof LockLostException;
        observer.notGranted(
                waiter.mode(), refused ? LockObserver.Outcome.REFUSED : LockObserver.Outcome.UNAVAILABLE, since(began));
        return failure == null ? new DecLockException("the acquisition failed") : failure;
    }

    /**
     * Acquires one name without blocking; the result is the granted waiter, or null if the time ran out. Cancelling the result withdraws
     * the acquisition.
     */
    CompletableFuture<@Nullable LocalWaiter> acquireAsync(String name, LockMode mode, Object owner, long waitNanos) {
        Attempt attempt = new Attempt(name, mode, owner, waitNanos == 0);
        attempt.begin();
        if (!attempt.result.isDone() && waitNanos != FOR_EVER) {
            TimerService.Timer timer = node.timer().start(bound(waitNanos), attempt::timeOut);
            // Most calls are granted long before their wait time ends, which may be an hour.
            attempt.result.whenComplete((granted, failure) -> timer.cancel());
        }
        attempt.result.whenComplete((granted, failure) -> {
            if (attempt.result.isCancelled()) {
                attempt.withdraw();
            }
        });
        return attempt.result;
    }

    /** One asynchronous acquisition, which is tried again if its hold is lost before the result completes. */
    private final class Attempt {
        final CompletableFuture<@Nullable LocalWaiter> result = new CompletableFuture<>();
        private final String name;
        private final LockMode mode;
        private final Object owner;
        private final boolean noWait;
        private final AtomicReference<@Nullable Try> current = new AtomicReference<>();
        private volatile boolean timedOut;
        private volatile long began = NOT_SET;

        Attempt(String name, LockMode mode, Object owner, boolean noWait) {
            this.name = name;
            this.mode = mode;
            this.owner = owner;
            this.noWait = noWait;
        }

        /** One waiter in the lock's queue. */
        private final class Try {
            final AsyncWaiter waiter =
                    new AsyncWaiter(owner, mode, noWait, () -> node.callbacks().execute(() -> decided(this)));
            private volatile @Nullable LocalLock lock;

            boolean abandon() {
                LocalLock entered = lock;
                return entered != null && entered.abandon(waiter);
            }
        }

        void begin() {
            node.waiting(1);
            boolean entered = false;
            try {
                enter();
                entered = true;
            } finally {
                if (!entered) {
                    node.waiting(-1);
                }
            }
        }

        private void enter() {
            Try next = new Try();
            current.set(next);
            next.lock = Acquirer.this.enter(name, next.waiter);
            began = began == NOT_SET ? next.waiter.since() : began;
            next.waiter.run();
            if (timedOut || result.isCancelled()) {
                // The time-out or the cancellation came between two tries.
                timeOut();
            }
        }

        private void decided(Try told) {
            AsyncWaiter waiter = told.waiter;
            if (waiter.state() == LocalWaiter.State.GRANTED && !mayReturn(waiter, true)) {
                HeldLock.release(waiter.hold(), mode, false);
                again();
                return;
            }
            node.waiting(-1);
            switch (waiter.state()) {
                case GRANTED -> {
                    granted(waiter, began);
                    if (!result.complete(waiter)) {
                        node.release(waiter.hold(), mode, false);
                    }
                }
                case FAILED -> result.completeExceptionally(failed(waiter, began));
                default -> {
                    observer.notGranted(mode, LockObserver.Outcome.TIMED_OUT, since(began));
                    result.complete(null);
                }
            }
        }

        private void again() {
            try {
                enter();
            } catch (RuntimeException e) {
                node.waiting(-1);
                result.completeExceptionally(e);
            }
        }

        private void timeOut() {
            timedOut = true;
            Try now = current.get();
            if (now != null && !result.isDone() && now.abandon()) {
                now.waiter.run();
            }
        }

        private void withdraw() {
            Try now = current.get();
            if (now != null && now.abandon()) {
                node.waiting(-1);
            }
        }
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
