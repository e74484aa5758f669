// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Verb;

/**
 * The speed of the memory node's adapter: every verb goes through one pipeline, and atomics on addresses of the same bucket follow each
 * other. An adapter with zero durations is infinitely fast.
 */
final class SimulatedNic {
    private static final int BUCKETS = 4096;

    private final long verbNanos;
    private final long atomicNanos;
    private final long[] bucketFree = new long[BUCKETS];
    private long pipelineFree;

    SimulatedNic(long verbNanos, long atomicNanos) {
        this.verbNanos = verbNanos;
        this.atomicNanos = atomicNanos;
    }

    /** Returns when a verb that arrives now is executed. */
    long execution(Verb verb, long address, long now) {
        long start = Math.max(now, pipelineFree);
        pipelineFree = start + verbNanos;
        if (atomicNanos == 0 || verb == Verb.READ || verb == Verb.WRITE) {
            return start;
        }
        int bucket = (int) ((address >>> 3) * 0x9E3779B97F4A7C15L >>> 52);
        long free = Math.max(start, bucketFree[bucket]);
        bucketFree[bucket] = free + atomicNanos;
        return free;
    }
}
