// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A step that is repeated at an interval for as long as it is needed. A step that throws is logged and followed by the next one: a loop
 * that ended by an exception would take with it whatever rests on it. Tells by how much its next step is overdue, so that health can
 * say so. Thread-safe.
 */
public abstract class Loop {
    private final String name;
    private final Clock clock;
    private final TimerService timer;
    private final long intervalNanos;
    // Odd while it runs; each run has a number of its own, so that a step of a former run that comes late does nothing.
    private final AtomicLong run = new AtomicLong();
    private volatile long due;

    /**
     * Makes a loop that does not run yet.
     *
     * @param name what it is, for logs and health: "the lease watch"
     */
    protected Loop(String name, Clock clock, TimerService timer, long intervalNanos) {
        this.name = name;
        this.clock = clock;
        this.timer = timer;
        this.intervalNanos = intervalNanos;
    }

    /**
     * Takes one step.
     *
     * @param lateNanos how much later it comes than it was to come
     */
    protected abstract void step(long lateNanos);

    /** Returns whether another step is needed; the loop ends otherwise, and {@link #wake} starts it again. */
    protected boolean isNeeded() {
        return true;
    }

    /** Makes sure that it runs: the next step comes an interval from now at the latest. */
    public final void wake() {
        long stopped = run.get();
        if ((stopped & 1) == 0 && run.compareAndSet(stopped, stopped + 1)) {
            arm(stopped + 1);
        }
    }

    /** Ends it; a step that is under way comes to its end. */
    public final void stop() {
        run.updateAndGet(now -> now + (now & 1));
    }

    /** Returns whether it runs. */
    public final boolean isRunning() {
        return (run.get() & 1) == 1;
    }

    /** Returns the interval between steps in nanoseconds. */
    public final long intervalNanos() {
        return intervalNanos;
    }

    /** Returns by how much its next step is overdue; zero or less if it is not, or the loop does not run. */
    public final long overdueNanos() {
        return isRunning() ? clock.nanoTime() - due : 0;
    }

    /** Returns its name. */
    public final String name() {
        return name;
    }

    private void arm(long mine) {
        due = clock.nanoTime() + intervalNanos;
        timer.schedule(intervalNanos, () -> tick(mine));
    }

    private void tick(long mine) {
        if (run.get() != mine) {
            return;
        }
        try {
            long late = clock.nanoTime() - due;
            Isolated.run("A step of " + name, () -> step(late));
        } finally {
            goOn(mine);
        }
    }

    private void goOn(long mine) {
        if (isNeeded()) {
            if (run.get() == mine) {
                arm(mine);
            }
        } else if (run.compareAndSet(mine, mine + 1) && isNeeded()) {
            // It came to be needed between the two looks.
            wake();
        }
    }
}
