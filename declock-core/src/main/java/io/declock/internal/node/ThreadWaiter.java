// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import io.declock.Counters;
import io.declock.LockMode;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.monitor.NodeCounters;
import java.util.concurrent.locks.LockSupport;

/** A waiter that blocks its thread: it spins for a moment when it is the next in line, otherwise it parks. */
final class ThreadWaiter extends LocalWaiter {
    private final Thread thread;
    private final boolean byView;
    private volatile boolean parked;

    ThreadWaiter(Object owner, LockMode mode, boolean noWait, boolean byView) {
        super(owner, mode, noWait);
        this.thread = Thread.currentThread();
        this.byView = byView;
    }

    @Override
    public boolean isByView() {
        return byView;
    }

    @Override
    protected boolean hasExplicitOwner() {
        return owner() != thread;
    }

    @Override
    public void run() {
        // The waiter sets this flag before it checks its state for the last time, so it misses no change.
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Waits until this waiter is decided, the deadline has passed, or the thread was interrupted.
     *
     * @param deadline on {@link System#nanoTime}, {@link Long#MAX_VALUE} for none
     * @param interruptible whether an interrupt ends the wait
     * @return whether this waiter is decided
     */
    boolean await(long deadline, boolean interruptible, long spinNanos, NodeCounters counters) {
        boolean interrupted = false;
        try {
            while (state() == State.WAITING) {
                if (Thread.interrupted()) {
                    interrupted = true;
                    if (interruptible) {
                        return false;
                    }
                }
                if (isNextInLine() && spin(spinNanos)) {
                    break;
                }
                long left = deadline == Long.MAX_VALUE ? deadline : deadline - System.nanoTime();
                if (left <= 0) {
                    return state() != State.WAITING;
                }
                park(left, counters);
            }
            return true;
        } finally {
            if (interrupted) {
                thread.interrupt();
            }
        }
    }

    private void park(long nanos, NodeCounters counters) {
        parked = true;
        if (state() == State.WAITING) {
            counters.count(Counters.Event.PARK);
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, nanos);
            }
        }
        parked = false;
    }

    private boolean spin(long spinNanos) {
        if (spinNanos <= 0) {
            return false;
        }
        long until = System.nanoTime() + spinNanos;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 16; i++) {
                if (state() != State.WAITING) {
                    return true;
                }
                Thread.onSpinWait();
            }
        }
        return state() != State.WAITING;
    }
}
