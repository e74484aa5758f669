// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.LockMode;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What was counted in the window of a {@link ModelRun}. Immutable.
 *
 * @param windowNanos how long the window was, in virtual nanoseconds
 * @param all operations of all kinds, without those that were aborted
 * @param aborted operations that their clients gave up, or failed in
 * @param kinds operations of each kind, by the number of the kind
 * @param acquisitions number of locks granted
 * @param waits from the request for a lock to its grant, by mode
 * @param verbs verbs that clients posted, or a lock's server
 * @param messages messages that were sent, between compute nodes and to and from a lock's server
 * @param utilisation part of the window in which the memory node's adapter was busy, the busier one of its two directions and its processing of verbs
 * @param fairness Jain's index over the clients' operations: one if all of them did as many
 * @param locking further figures of the locks
 * @param slices operations that ended in each slice of the whole run, with the warm-up; empty if the setting has no slices
 * @param hash hash of all events from the beginning on
 */
public record Outcome(
        long windowNanos,
        Operations all,
        long aborted,
        List<Operations> kinds,
        long acquisitions,
        Map<LockMode, Latencies> waits,
        Verbs verbs,
        long messages,
        double utilisation,
        double fairness,
        Locking locking,
        List<Long> slices,
        long hash) {
    /** Makes one. */
    public Outcome {
        kinds = List.copyOf(kinds);
        slices = List.copyOf(slices);
        // Not Map.copyOf, whose order differs from run to run.
        Map<LockMode, Latencies> inOrder = new EnumMap<>(LockMode.class);
        inOrder.putAll(waits);
        waits = Collections.unmodifiableMap(inOrder);
    }

    /**
     * Operations that ended in the window.
     *
     * @param count how many
     * @param perSecond how many in a second
     * @param latencies how long they took
     */
    public record Operations(long count, double perSecond, Latencies latencies) {}

    /**
     * Verbs, by purpose and by kind. An extended atomic is an atomic.
     *
     * @param acquire verbs of acquiring
     * @param release verbs of releasing
     * @param data verbs on the application's data
     * @param reset verbs of resets and recoveries
     * @param reads READs of all purposes
     * @param writes WRITEs of all purposes
     * @param atomics atomics of all purposes
     */
    public record Verbs(long acquire, long release, long data, long reset, long reads, long writes, long atomics) {}

    /**
     * Further figures of the locks.
     *
     * @param firstLockWaits from the request for the lock of number zero, by Zipf's law the most popular one, to its grant
     * @param releases from the call that releases a lock to its end
     * @param bytes bytes that verbs on locks carry, written ones and results
     * @param selfChecks READs by which waiters look at the queue themselves
     * @param looks READs by which holders look at the queue before they release
     */
    public record Locking(Latencies firstLockWaits, Latencies releases, long bytes, long selfChecks, long looks) {}

    private double each(long count) {
        return (double) count / Math.max(1, acquisitions);
    }

    /** Returns bytes of verbs on locks for each acquisition. */
    public double lockBytesEach() {
        return each(locking.bytes);
    }

    /** Returns READs of waiters that look themselves, for each acquisition. */
    public double selfChecksEach() {
        return each(locking.selfChecks);
    }

    /** Returns READs of holders that look, for each acquisition. */
    public double looksEach() {
        return each(locking.looks);
    }

    /** Returns the times from the request for a lock to its grant in a mode. */
    public Latencies waited(LockMode mode) {
        return Objects.requireNonNull(waits.get(mode));
    }

    /** Returns which share of the operations that ended were aborted. */
    public double abortedShare() {
        return (double) aborted / Math.max(1, all.count() + aborted);
    }

    /** Returns acquisitions in a second. */
    public double acquisitionsPerSecond() {
        return acquisitions * 1e9 / windowNanos;
    }

    /** Returns verbs of acquiring for each acquisition. */
    public double acquireVerbsEach() {
        return each(verbs.acquire);
    }

    /** Returns verbs of releasing for each acquisition. */
    public double releaseVerbsEach() {
        return each(verbs.release);
    }
}
