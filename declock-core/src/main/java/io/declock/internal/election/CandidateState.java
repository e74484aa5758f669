// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.election.Standing.Role;
import io.declock.spi.election.ElectionEngine.Held;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate is, has promised and knows, and what it may do by that (rules H6 and H9 of docs/protocol.md). It has one attempt under way
 * at most, and none while it serves. It promises only while it neither serves nor reaches the engine, and does not begin a term while a
 * promise binds it.
 *
 * <p>Each method is one step. None of them asks the engine, calls the host or writes to the log. Thread-safe.
 */
final class CandidateState {
    /** No attempt may be made, and whatever forbids it plans the next one itself. */
    static final long NO_ATTEMPT = Long.MAX_VALUE;

    private final CandidateBasics basics;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private Role role = Role.STANDING_BY;

    @GuardedBy("lock")
    private @Nullable Mandate mandate;

    @GuardedBy("lock")
    private boolean attempting;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private long promisedUntil;

    /** Each plan of an attempt has its number, so that a later one replaces an earlier one. */
    @GuardedBy("lock")
    private long plan;

    @GuardedBy("lock")
    private long highestTerm;

    @GuardedBy("lock")
    private String serving = "";

    @GuardedBy("lock")
    private String problem = "";

    @GuardedBy("lock")
    private boolean promised;

    @GuardedBy("lock")
    private long elections;

    @GuardedBy("lock")
    private long depositions;

    CandidateState(CandidateBasics basics) {
        this.basics = basics;
    }

    /**
     * Begins.
     *
     * @param alone whether there is no other candidate, to which the process that had this address before may have given a promise
     */
    void start(boolean alone) {
        lock.lock();
        try {
            promisedUntil = basics.clock().nanoTime() + (alone ? 0 : basics.leaseNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the candidacy ends; returns the mandate that it has, or null. */
    @Nullable
    Mandate close() {
        lock.lock();
        try {
            closed = true;
            return mandate;
        } finally {
            lock.unlock();
        }
    }

    Standing standing() {
        lock.lock();
        try {
            Mandate present = mandate;
            return new Standing(
                    role,
                    present == null ? highestTerm : present.number(),
                    serving,
                    problem,
                    promised,
                    Duration.ofNanos(present == null ? 0 : Math.max(0, present.leftNanos())),
                    elections,
                    depositions);
        } finally {
            lock.unlock();
        }
    }

    // ---------------------------------------------------------------- standing by

    /** Returns the number of a new plan of an attempt, which replaces the one before. */
    long nextPlan() {
        lock.lock();
        try {
            return ++plan;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins an attempt if it may be made now.
     *
     * @param number number of its plan
     * @return how long a promise still forbids it; zero or less if it has begun; or {@link #NO_ATTEMPT}
     */
    long beginAttempt(long number, long now) {
        lock.lock();
        try {
            if (closed || attempting || mandate != null || role == Role.SERVING || number != plan) {
                return NO_ATTEMPT;
            }
            long wait = promisedUntil - now;
            attempting = wait <= 0;
            return wait;
        } finally {
            lock.unlock();
        }
    }

    /** The attempt has ended without an election. */
    void attempted() {
        lock.lock();
        try {
            attempting = false;
        } finally {
            lock.unlock();
        }
    }

    /** The engine has answered that no candidate serves. */
    void reached() {
        lock.lock();
        try {
            if (mandate == null) {
                problem = "";
            }
        } finally {
            lock.unlock();
        }
    }

    /** The engine has answered which candidate serves. */
    void learn(Held held) {
        lock.lock();
        try {
            if (mandate == null) {
                problem = "";
                serving = held.candidate();
                highestTerm = Math.max(highestTerm, held.term());
                role = Role.STANDING_BY;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The engine has not answered, or has elected nobody; returns whether that is news. */
    boolean unreached(String why) {
        lock.lock();
        try {
            boolean fresh = problem.isEmpty() && !closed;
            problem = why;
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The attempt has ended with an election.
     *
     * @param eligible whether the last term knew this candidate
     * @return whether the candidate serves by this mandate from now on
     */
    boolean elected(Mandate fresh, boolean eligible) {
        lock.lock();
        try {
            attempting = false;
            highestTerm = Math.max(highestTerm, fresh.number());
            boolean bound = promisedUntil - basics.clock().nanoTime() > 0;
            if (closed || !eligible || bound) {
                return false;
            }
            mandate = fresh;
            role = Role.SERVING;
            serving = basics.address();
            problem = "";
            elections++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Promises the serving candidate not to take over for a time, if this candidate cannot reach the engine either.
     *
     * @return whether it promises
     */
    boolean promise(long term, long nanos) {
        lock.lock();
        try {
            boolean blind = !problem.isEmpty();
            if (closed || mandate != null || role == Role.SERVING || !blind || term < highestTerm) {
                return false;
            }
            long until = basics.clock().nanoTime() + Math.min(nanos, basics.leaseNanos());
            if (until - promisedUntil > 0) {
                promisedUntil = until;
            }
            highestTerm = term;
            return true;
        } finally {
            lock.unlock();
        }
    }

    // ---------------------------------------------------------------- serving

    /** Returns the mandate by which it serves, or null. */
    @Nullable
    Mandate mandate() {
        lock.lock();
        try {
            return mandate;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether it serves by a mandate, and is not about to end. */
    boolean isPresent(Mandate asked) {
        lock.lock();
        try {
            return mandate == asked && !closed;
        } finally {
            lock.unlock();
        }
    }

    /** The engine has renewed the term; returns whether it had not answered before. */
    boolean renewed() {
        lock.lock();
        try {
            boolean again = !problem.isEmpty();
            problem = "";
            promised = false;
            return again;
        } finally {
            lock.unlock();
        }
    }

    /** The engine has not renewed the term; returns whether it had before. */
    boolean notRenewed(String why) {
        lock.lock();
        try {
            boolean fresh = problem.isEmpty();
            problem = "the term was not renewed: " + why;
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    /** Every other candidate has promised not to take over. */
    void othersPromised() {
        lock.lock();
        try {
            promised = !problem.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** What the end of a mandate was. */
    enum End {
        /** The candidate served by another one, or by none. */
        NONE,
        /** The candidate has lost its term. */
        DEPOSED,
        /** The candidate ends. */
        LEFT
    }

    /** A mandate is over. */
    End over(Mandate ended, String why) {
        lock.lock();
        try {
            if (mandate != ended) {
                return End.NONE;
            }
            mandate = null;
            promised = false;
            role = Role.DEPOSED;
            problem = why;
            serving = "";
            depositions += closed ? 0 : 1;
            return closed ? End.LEFT : End.DEPOSED;
        } finally {
            lock.unlock();
        }
    }
}
