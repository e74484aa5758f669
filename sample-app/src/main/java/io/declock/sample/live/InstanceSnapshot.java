// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import io.declock.LockView;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An instance's state at one moment, for the other instances.
 *
 * @param name name of the instance
 * @param url address of its page
 * @param locking whether it takes orders under a lock
 * @param at when, in milliseconds since 1970
 * @param memoryNodes states of its memory nodes
 * @param held number of locks held
 * @param waiting number of callers that wait
 * @param locks holds and waits, the oldest first
 * @param history the last points, oldest first; the last one is the current one
 */
public record InstanceSnapshot(
        String name,
        String url,
        boolean locking,
        long at,
        List<MemoryNodeState> memoryNodes,
        long held,
        long waiting,
        List<Lock> locks,
        List<Point> history) {
    /** Copies the lists. */
    public InstanceSnapshot {
        memoryNodes = List.copyOf(memoryNodes);
        locks = List.copyOf(locks);
        history = List.copyOf(history);
    }

    /**
     * One memory node.
     *
     * @param id stable id
     * @param state state of the session
     */
    public record MemoryNodeState(String id, String state) {}

    /**
     * One hold or wait.
     *
     * @param name the lock
     * @param held whether it is held or waited for
     * @param write whether the mode is exclusive
     * @param token fencing token of a hold, as text because a token can exceed JavaScript's exact integers
     * @param micros duration in microseconds
     */
    public record Lock(
            String name,
            boolean held,
            boolean write,
            @Nullable String token,
            long micros) {
        static Lock of(LockView view) {
            Long token = view.fencingToken();
            return new Lock(
                    view.name(),
                    view.state() == LockView.State.HELD,
                    view.mode().isExclusive(),
                    token == null ? null : token.toString(),
                    TimeUnit.NANOSECONDS.toMicros(view.age().toNanos()));
        }
    }

    /**
     * One point of the curves.
     *
     * @param orders accepted orders per second
     * @param grants locks granted per second
     * @param local hand-overs inside the instance per second
     * @param peer hand-overs from another instance per second
     * @param p50 median wait of the last seconds in microseconds
     * @param p99 99th percentile of it
     */
    public record Point(int orders, int grants, int local, int peer, long p50, long p99) {
        static Point of(Totals change, double seconds, Histogram waits) {
            return new Point(
                    perSecond(change.orders(), seconds),
                    perSecond(change.grants(), seconds),
                    perSecond(change.local(), seconds),
                    perSecond(change.peer(), seconds),
                    waits.percentile(0.5),
                    waits.percentile(0.99));
        }

        private static int perSecond(long count, double seconds) {
            return (int) Math.round(count / seconds);
        }
    }
}
