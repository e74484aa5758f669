// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.benchmarks.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

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
 * @param turn how long one thread after the other locks alone while all others rest; zero if all lock at the same time
 * @param writer a further thread that writes now and then, or null if there is none
 */
public record Workload(
        int jvms,
        int threads,
        int names,
        boolean ownNames,
        double zipf,
        double readShare,
        Duration criticalSection,
        boolean handOver,
        Duration turn,
        @Nullable Writer writer) {

    /**
     * A thread beside those of the load, which takes a lock in write mode now and then. It is not one of the workers, so its cycles
     * are not counted with theirs.
     *
     * @param every time from one request to the next
     * @param apart whether it has a process of its own; otherwise it runs in the first one
     */
    public record Writer(Duration every, boolean apart) {}

    /** Makes a load whose threads do not wait for each other before they unlock. */
    public Workload(
            int jvms,
            int threads,
            int names,
            boolean ownNames,
            double zipf,
            double readShare,
            Duration criticalSection) {
        this(jvms, threads, names, ownNames, zipf, readShare, criticalSection, false, Duration.ZERO, null);
    }

    /** One lock for all threads. */
    public static Workload oneLock(int jvms, int threads, double readShare, Duration criticalSection) {
        return new Workload(jvms, threads, 1, false, 0, readShare, criticalSection);
    }

    /** One thread, which takes that many locks in turn. */
    public static Workload alone(int names) {
        return new Workload(1, 1, names, true, 0, 0, Duration.ZERO);
    }

    /** Each thread takes a lock of its own again and again. */
    public static Workload ownLocks(int jvms, int threads) {
        return new Workload(jvms, threads, 1, true, 0, 0, Duration.ZERO);
    }

    /** One lock, which one thread after the other takes again and again for a while. */
    public static Workload wandering(int jvms, int threads, Duration turn) {
        return new Workload(jvms, threads, 1, false, 0, 0, Duration.ZERO, false, turn, null);
    }

    /** One lock, which all threads read, and a further thread writes now and then. */
    public static Workload readers(int jvms, int threads, Writer writer) {
        return new Workload(jvms, threads, 1, false, 0, 1, Duration.ZERO, false, Duration.ZERO, writer);
    }

    /** Two threads of one process; each keeps the lock until the other asks for it. */
    public static Workload handOverInside() {
        return new Workload(1, 2, 1, false, 0, 0, Duration.ZERO, true, Duration.ZERO, null);
    }

    /** Returns the number of threads of all processes, without the writer. */
    public int workers() {
        return jvms * threads;
    }

    /** Returns the number of processes, with the writer's. */
    public int processes() {
        return jvms + (writer != null && writer.apart() ? 1 : 0);
    }

    /** Returns the number of all names of all threads. */
    public int allNames() {
        return ownNames ? workers() * names : names;
    }

    /** Returns the writer if it runs in that process, else null. */
    @Nullable
    Writer writerIn(int process) {
        return writer != null && process == (writer.apart() ? jvms : 0) ? writer : null;
    }

    @Override
    public String toString() {
        String which = ownNames ? names + " own names per thread" : names == 1 ? "1 name" : names + " names";
        return jvms + " JVMs x " + threads + " threads, " + which + (zipf > 0 ? ", Zipf " + zipf : "")
                + (readShare > 0 ? ", " + Math.round(readShare * 100) + " % reads" : ", writes only")
                + ", critical section "
                + (handOver
                        ? "until another thread asks"
                        : criticalSection.isZero() ? "empty" : criticalSection.toNanos() / 1000 + " us busy")
                + (turn.isZero() ? "" : ", one thread after the other for " + turn.toMillis() + " ms")
                + (writer == null
                        ? ""
                        : ", a writer " + (writer.apart() ? "in a process of its own" : "in the first JVM") + " every "
                                + writer.every().toMillis() + " ms");
    }
}
