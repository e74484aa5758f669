// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.monitor.Loop;

/**
 * When the reclaimer takes its steps: once per interval, and while fewer than half of the records are free, once a second as well. Then
 * records that have been idle for a shorter time are reclaimed, the shorter the fewer are free, so that names that are used only once do
 * not use up the records. Thread-safe.
 */
final class ReclaimPace {
    /** Each scan may raise the high-water mark by one, and the mark must not grow faster than the seconds (rule C3). */
    private static final long PRESSED_INTERVAL_NANOS = 1_000_000_000L;

    private static final double PLENTY = 0.5;
    private static final double SCARCE = 0.25;

    private final NodeBasics node;
    private final RecordAllocator allocator;
    private final long idleNanos;
    private final Loop regular;
    private final Loop pressed;

    /**
     * Makes one.
     *
     * @param step taken once per interval
     * @param pressedStep taken while few records are free
     */
    ReclaimPace(NodeBasics node, RecordAllocator allocator, Runnable step, Runnable pressedStep) {
        this.node = node;
        this.allocator = allocator;
        this.idleNanos = node.settings().reclaimInterval().toNanos();
        this.regular = new Steps(idleNanos, step);
        this.pressed = new PressedSteps(Math.max(1, Math.min(PRESSED_INTERVAL_NANOS, idleNanos)), pressedStep);
    }

    private class Steps extends Loop {
        private final Runnable step;

        Steps(long intervalNanos, Runnable step) {
            super("the reclaimer of memory node " + node.id(), node.clock(), node.timer(), intervalNanos);
            this.step = step;
        }

        @Override
        protected void step(long lateNanos) {
            step.run();
        }

        @Override
        protected boolean isNeeded() {
            return !node.isClosed();
        }
    }

    private final class PressedSteps extends Steps {
        PressedSteps(long intervalNanos, Runnable step) {
            super(intervalNanos, step);
        }

        @Override
        protected boolean isNeeded() {
            return super.isNeeded() && isPressed();
        }
    }

    void start() {
        if (idleNanos > 0) {
            regular.wake();
        }
    }

    /** Notes that a record was given to a new name. */
    void recordTaken() {
        if (idleNanos > 0 && isPressed()) {
            pressed.wake();
        }
    }

    /** Returns the loop that runs for as long as the memory node. */
    Loop loop() {
        return regular;
    }

    boolean isPressed() {
        return 2L * allocator.inUse() >= allocator.total();
    }

    /**
     * Returns how long a record must have been idle: the whole interval while half of the records are free, and no time when only a quarter
     * is free.
     */
    long idleWhenPressed() {
        double free = 1 - (double) allocator.inUse() / allocator.total();
        return (long) (idleNanos * Math.max(0, Math.min(1, (free - SCARCE) / (PLENTY - SCARCE))));
    }
}
