// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import java.time.Duration;

/**
 * The load of one run: every thread locks, holds the lock for some time, unlocks, and begins again.
 *
 * @param jvms number of client processes
 * @param threads number of threads in each
 * @param names number of lock names; shared by all threads, or that many for each thread
 * @param ownNames whether each thread has names of its own, which it uses in turn
 * @param zipf exponent of the choice of shared names, 0 for uniform
 * @param readShare share of acquisitions in read mode
 * @param criticalSection busy CPU time with the lock held
 * @param handOver whether a thread keeps the lock until another of its process asks for it, so that every release hands over
 */
public record Workload(
        int jvms,
        int threads,
        int names,
        boolean ownNames,
        double zipf,
        double readShare,
        Duration criticalSection,
        boolean handOver) {

    /** Makes a load whose threads do not wait for each other before they unlock. */
    public Workload(
            int jvms,
            int threads,
            int names,
            boolean ownNames,
            double zipf,
            double readShare,
            Duration criticalSection) {
        this(jvms, threads, names, ownNames, zipf, readShare, criticalSection, false);
    }

    /** One lock for all threads. */
    public static Workload oneLock(int jvms, int threads, double readShare, Duration criticalSection) {
        return new Workload(jvms, threads, 1, false, 0, readShare, criticalSection);
    }

    /** Two threads of one process; each keeps the lock until the other asks for it. */
    public static Workload handOverInside() {
        return new Workload(1, 2, 1, false, 0, 0, Duration.ZERO, true);
    }

    /** Returns the number of threads of all processes. */
    public int workers() {
        return jvms * threads;
    }

    @Override
    public String toString() {
        String which = ownNames ? names + " own names per thread" : names == 1 ? "1 name" : names + " names";
        return jvms + " JVMs x " + threads + " threads, " + which + (zipf > 0 ? ", Zipf " + zipf : "")
                + (readShare > 0 ? ", " + Math.round(readShare * 100) + " % reads" : ", writes only")
                + ", critical section "
                + (handOver
                        ? "until another thread asks"
                        : criticalSection.isZero() ? "empty" : criticalSection.toNanos() / 1000 + " us busy");
    }
}
