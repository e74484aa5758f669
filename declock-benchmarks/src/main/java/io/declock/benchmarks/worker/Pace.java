// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** When a thread of the load begins its next cycle. Each thread has one of its own. */
@FunctionalInterface
interface Pace {
    /**
     * Waits until the next cycle is due, or the load ends.
     *
     * @return whether the wait for the lock in this cycle is to be told apart from those of the cycles that follow at once
     */
    boolean await(LoadThread.Stage stage) throws InterruptedException;

    /** Cycle after cycle. */
    static Pace steady() {
        return stage -> false;
    }

    /**
     * Cycle after cycle while it is the worker's turn. The first cycle of each turn is told apart.
     *
     * @param turn length of a turn
     * @param worker number of the worker, from 0
     * @param workers number of workers
     * @param clock milliseconds of a clock that all processes of the run share, from which each knows whose turn it is
     */
    static Pace turns(Duration turn, int worker, int workers, LongSupplier clock) {
        long length = Math.max(1, turn.toMillis());
        return new Pace() {
            private long last = -1;

            @Override
            public boolean await(LoadThread.Stage stage) throws InterruptedException {
                long now = clock.getAsLong();
                while (now / length % workers != worker && !stage.hasEnded()) {
                    long others = Math.floorMod(worker - now / length, (long) workers) - 1;
                    stage.awaitEnd(length - now % length + others * length, TimeUnit.MILLISECONDS);
                    now = clock.getAsLong();
                }
                boolean first = now / length != last;
                last = now / length;
                return first;
            }
        };
    }

    /** One cycle each such time, or later where the one before took longer. Each of them is told apart. */
    static Pace every(Duration time) {
        return new Pace() {
            private long due = System.nanoTime();

            @Override
            public boolean await(LoadThread.Stage stage) throws InterruptedException {
                long now = System.nanoTime();
                due = due + time.toNanos() - now < 0 ? now : due + time.toNanos();
                stage.awaitEnd(due - now, TimeUnit.NANOSECONDS);
                return true;
            }
        };
    }
}
