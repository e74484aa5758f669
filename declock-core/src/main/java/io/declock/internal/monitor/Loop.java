// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.monitor;

import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A step that is repeated at an interval for as long as it is needed. A step that throws is logged and followed by the next one: if an
 * exception ended the loop, everything that relies on it would stop working. It reports by how much its next step is overdue, for the
 * health check. Thread-safe.
 */
public abstract class Loop {
    private final String name;
    private final Clock clock;
    private final TimerService timer;
    private final long intervalNanos;
    // Odd while the loop runs. Each run has its own number, so that a late step of a former run does nothing.
    private final AtomicLong run = new AtomicLong();
    private volatile long due;

    /**
     * Makes a loop; {@link #wake} starts it.
     *
     * @param name name for logs and health, such as "the lease watch"
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
     * @param lateNanos by how much the step is late
     */
    protected abstract void step(long lateNanos);

    /** Returns whether another step is needed; if not, the loop ends, and {@link #wake} starts it again. */
    protected boolean isNeeded() {
        return true;
    }

    /** Makes sure that the loop runs: the next step follows within one interval. */
    public final void wake() {
        long stopped = run.get();
        if ((stopped & 1) == 0 && run.compareAndSet(stopped, stopped + 1)) {
            arm(stopped + 1);
        }
    }

    /** Ends the loop; a step under way is completed. */
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

    /** Returns by how much the next step is overdue; zero or less if it is not overdue, or the loop does not run. */
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
            // Another step became necessary between the two checks.
            wake();
        }
    }
}
