// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.LockMode;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.LocalLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.time.TimerService;
import io.declock.spi.LockObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Acquires one name for a caller that waits with a future. Thread-safe. */
final class AsyncAcquirer {
    private final Acquirer acquirer;
    private final Callers callers;
    private final TimerService timers;
    private final Completions completions;

    AsyncAcquirer(Acquirer acquirer, Callers callers, NodeRuntime runtime) {
        this.acquirer = acquirer;
        this.callers = callers;
        this.timers = runtime.timer();
        this.completions = runtime.completions();
    }

    /**
     * Acquires one name without blocking; the result is the granted waiter, or null if the time ran out. Cancelling the result withdraws
     * the acquisition.
     */
    CompletableFuture<@Nullable LocalWaiter> acquire(String name, LockMode mode, Object owner, long waitNanos) {
        Attempt attempt = new Attempt(name, mode, owner, waitNanos == 0);
        attempt.begin();
        if (!attempt.result.isDone() && waitNanos != Acquirer.FOR_EVER) {
            TimerService.Timer timer = timers.start(acquirer.bound(waitNanos), attempt::timeOut);
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
        private final LockObserver.@Nullable Asked asked;
        private final AtomicReference<@Nullable Try> current = new AtomicReference<>();
        private volatile boolean timedOut;
        private volatile long began = Acquirer.NOT_SET;

        Attempt(String name, LockMode mode, Object owner, boolean noWait) {
            this.name = name;
            this.mode = mode;
            this.owner = owner;
            this.noWait = noWait;
            this.asked = acquirer.asked(name, mode);
        }

        /** One waiter in the lock's queue. */
        private final class Try {
            final AsyncWaiter waiter = new AsyncWaiter(owner, mode, noWait, this::told);
            private volatile @Nullable LocalLock lock;
            /** Null when the thread has asked. */
            private volatile @Nullable Thread asking = Thread.currentThread();
            // Used by the thread that asks.
            private boolean atOnce;

            /** Asks for the lock; what is decided by then needs no other thread. */
            void ask() {
                lock = acquirer.enter(name, waiter);
                waiter.run();
                asking = null;
                if (atOnce) {
                    completions.executeAtOnce(() -> decided(this));
                }
            }

            private void told() {
                if (Thread.currentThread() == asking) {
                    atOnce = true;
                } else {
                    completions.execute(() -> decided(this));
                }
            }

            boolean abandon() {
                LocalLock entered = lock;
                return entered != null && entered.abandon(waiter);
            }
        }

        void begin() {
            callers.waiting(1);
            boolean entered = false;
            try {
                enter();
                entered = true;
            } finally {
                if (!entered) {
                    callers.waiting(-1);
                }
            }
        }

        private void enter() {
            Try next = new Try();
            current.set(next);
            next.ask();
            if (timedOut || result.isCancelled()) {
                // The time-out or the cancellation came between two tries.
                timeOut();
            }
        }

        private void decided(Try told) {
            AsyncWaiter waiter = told.waiter;
            began = began == Acquirer.NOT_SET ? waiter.since() : began;
            if (waiter.state() == LocalWaiter.State.GRANTED && !Acquirer.mayReturn(waiter, true)) {
                HeldLock.release(waiter.hold(), mode, false);
                again();
                return;
            }
            callers.waiting(-1);
            switch (waiter.state()) {
                case GRANTED -> {
                    acquirer.granted(name, waiter, began, asked);
                    if (!result.complete(waiter)) {
                        acquirer.release(waiter.hold(), mode, false);
                    }
                }
                case FAILED -> result.completeExceptionally(acquirer.failed(name, waiter, began));
                default -> result.complete(acquirer.timedOut(name, mode, began));
            }
        }

        private void again() {
            try {
                enter();
            } catch (RuntimeException e) {
                callers.waiting(-1);
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
                callers.waiting(-1);
            }
        }
    }
}
