// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.node;

import io.declock.DecLockException;
import io.declock.LockMode;
import io.declock.local.Hold;
import io.declock.local.LocalLock;
import io.declock.local.LocalWaiter;
import io.declock.monitor.Counters;
import io.declock.monitor.GrantKind;
import io.declock.monitor.LockObserver;
import io.declock.time.TimerService;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Acquires one name: blocking a thread, or with a future. Thread-safe. */
final class Acquirer {
    /** A wait without bound. */
    static final long FOR_EVER = Long.MAX_VALUE;

    /** No deadline was needed yet. */
    private static final long NOT_SET = Long.MIN_VALUE;

    private final ComputeNode node;
    private final LockTable table;
    private final LockObserver observer;
    private final boolean observed;
    private final Counters counters;
    private final long spinNanos;

    Acquirer(ComputeNode node, LockTable table, LockObserver observer, Counters counters, long spinNanos) {
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
     * @param waitNanos 0 not to queue at all, {@link #FOR_EVER} for no bound
     * @return the hold, or null if the time ran out
     */
    @Nullable
    Hold acquire(String name, LockMode mode, Object owner, long waitNanos, boolean interruptible)
            throws InterruptedException {
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        long deadline = NOT_SET;
        long began = NOT_SET;
        while (true) {
            ThreadWaiter waiter = new ThreadWaiter(owner, mode, waitNanos == 0);
            LocalLock lock = enter(name, waiter, owner);
            began = began == NOT_SET ? waiter.since() : began;
            if (waiter.state() == LocalWaiter.State.WAITING) {
                deadline = deadline == NOT_SET ? deadlineIn(waitNanos) : deadline;
                if (!await(waiter, deadline, interruptible) && lock.abandon(waiter)) {
                    return gaveUp(mode, began, interruptible);
                }
            }
            switch (waiter.state()) {
                case GRANTED -> {
                    Hold hold = waiter.hold();
                    if (hold.lost() != null && !waiter.isReentrant()) {
                        lock.release(hold, mode);
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

    private boolean await(ThreadWaiter waiter, long deadline, boolean interruptible) {
        node.waiting(1);
        try {
            return waiter.await(deadline, interruptible, spinNanos, counters);
        } finally {
            node.waiting(-1);
        }
    }

    /** Where a wait that begins now ends. A try does not queue, but needs an answer from the memory node: it waits a lease for that. */
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

    private @Nullable Hold gaveUp(LockMode mode, long began, boolean interruptible) throws InterruptedException {
        boolean interrupted = interruptible && Thread.interrupted();
        observer.notGranted(
                mode, interrupted ? LockObserver.Outcome.CANCELLED : LockObserver.Outcome.TIMED_OUT, since(began));
        if (interrupted) {
            throw new InterruptedException();
        }
        return null;
    }

    private LocalLock enter(String name, LocalWaiter waiter, Object owner) {
        LocalLock lock = table.get(name);
        if (!node.accepts() && lock.findHold(owner) == null) {
            throw new DecLockException("lock '" + name + "' was not acquired: this process is shutting down");
        }
        while (!lock.acquire(waiter)) {
            Thread.onSpinWait();
            lock = table.get(name);
        }
        return lock;
    }

    private Hold granted(LocalWaiter waiter, long began) {
        Hold hold = waiter.hold();
        if (!waiter.isReentrant()) {
            counters.count(event(hold.kind()));
            if (observed) {
                observer.granted(waiter.mode(), hold.kind(), since(began));
            }
        }
        return hold;
    }

    private DecLockException failed(LocalWaiter waiter, long began) {
        observer.notGranted(waiter.mode(), LockObserver.Outcome.UNAVAILABLE, since(began));
        DecLockException failure = waiter.failure();
        return failure == null ? new DecLockException("the acquisition failed") : failure;
    }

    /** Acquires one name without blocking; the result is null when it was not granted in time, and cancelling it withdraws. */
    CompletableFuture<@Nullable Hold> acquireAsync(String name, LockMode mode, Object owner, long waitNanos) {
        Attempt attempt = new Attempt(mode, owner, waitNanos == 0);
        attempt.lock = attempt.enter(name);
        attempt.waiter.run();
        if (!attempt.result.isDone() && waitNanos != FOR_EVER) {
            TimerService.Timer timer = node.timer().start(bound(waitNanos), attempt::timeOut);
            // Most calls are granted long before; what they were given to wait may be an hour.
            attempt.result.whenComplete((hold, failure) -> timer.cancel());
        }
        attempt.result.whenComplete((hold, failure) -> {
            if (attempt.result.isCancelled()) {
                attempt.withdraw();
            }
        });
        return attempt.result;
    }

    private final class Attempt {
        final CompletableFuture<@Nullable Hold> result = new CompletableFuture<>();
        final AsyncWaiter waiter;

        @Nullable
        LocalLock lock;

        Attempt(LockMode mode, Object owner, boolean noWait) {
            this.waiter =
                    new AsyncWaiter(owner, mode, noWait, () -> node.callbacks().execute(this::decided));
        }

        private LocalLock enter(String name) {
            node.waiting(1);
            boolean entered = false;
            try {
                LocalLock entry = Acquirer.this.enter(name, waiter, waiter.owner());
                entered = true;
                return entry;
            } finally {
                if (!entered) {
                    node.waiting(-1);
                }
            }
        }

        private void decided() {
            node.waiting(-1);
            switch (waiter.state()) {
                case GRANTED -> {
                    Hold hold = granted(waiter, waiter.since());
                    if (!result.complete(hold)) {
                        node.release(hold, waiter.mode());
                    }
                }
                case FAILED -> result.completeExceptionally(failed(waiter, waiter.since()));
                default -> {
                    observer.notGranted(waiter.mode(), LockObserver.Outcome.TIMED_OUT, since(waiter.since()));
                    result.complete(null);
                }
            }
        }

        private void timeOut() {
            LocalLock entry = lock;
            if (entry != null && !result.isDone() && entry.abandon(waiter)) {
                waiter.run();
            }
        }

        private void withdraw() {
            LocalLock entry = lock;
            if (entry != null && entry.abandon(waiter)) {
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
