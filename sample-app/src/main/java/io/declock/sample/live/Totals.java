// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.sample.live;

import io.declock.ComputeNodeMonitor;
import io.declock.Counters;
import io.declock.Counters.Event;
import io.declock.Purpose;
import io.declock.Verb;
import io.declock.sample.shop.Turnover;

/**
 * An instance's counters since it started.
 *
 * @param orders accepted orders
 * @param stale orders that the fence refused
 * @param uncontended locks granted at once
 * @param queued locks granted after queueing, without a message
 * @param local locks handed over inside the instance
 * @param peer locks handed over by another instance
 * @param remoteAcquisitions acquisitions that took a queue position at the memory node
 * @param acquireOperations remote operations made to acquire
 * @param remoteOperations remote operations in all
 */
public record Totals(
        long orders,
        long stale,
        long uncontended,
        long queued,
        long local,
        long peer,
        long remoteAcquisitions,
        long acquireOperations,
        long remoteOperations) {
    /** All zero. */
    public static final Totals ZERO = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Totals of(ComputeNodeMonitor monitor, Turnover turnover) {
        Counters counters = monitor.counters();
        long operations = 0;
        for (Purpose purpose : Purpose.values()) {
            operations += counters.verbs(purpose);
        }
        return new Totals(
                turnover.accepted(),
                turnover.stale(),
                counters.get(Event.GRANT_UNCONTENDED),
                counters.get(Event.GRANT_QUEUED),
                counters.get(Event.GRANT_LOCAL),
                counters.get(Event.GRANT_PEER),
                counters.get(Event.REMOTE_ACQUISITION),
                acquireOperations(counters),
                operations);
    }

    /**
     * Counts the operations made to acquire. An FAA that gives back a position and takes another one counts as acquiring; the READ of the
     * queue after it counts as releasing.
     */
    private static long acquireOperations(Counters counters) {
        return counters.verbs(Purpose.ACQUIRE)
                + counters.verbs(Purpose.REQUEUE, Verb.FETCH_AND_ADD)
                + counters.verbs(Purpose.ENTRY);
    }

    /** Returns the number of locks granted in any way. */
    public long grants() {
        return uncontended + queued + local + peer;
    }

    /** Returns the difference to {@code before}. */
    public Totals minus(Totals before) {
        return new Totals(
                orders - before.orders,
                stale - before.stale,
                uncontended - before.uncontended,
                queued - before.queued,
                local - before.local,
                peer - before.peer,
                remoteAcquisitions - before.remoteAcquisitions,
                acquireOperations - before.acquireOperations,
                remoteOperations - before.remoteOperations);
    }

    /** Returns the sum with {@code other}. */
    public Totals plus(Totals other) {
        return minus(ZERO.minus(other));
    }
}
