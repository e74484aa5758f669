// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.MemoryNodeAddress;
import io.declock.internal.time.Clock;
import io.declock.spi.FabricException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which session of a link is the present one, whether one is being joined, and when to try again. At most one attempt is under way, none
 * while there is a session, and none before {@link #mayJoinAtOnce} has ended what follows a loss. It asks no memory node and tells no
 * listener: the link does that, by what it returns. Thread-safe.
 */
final class LinkState {
    private final MemoryNodeIdentity identity;
    private final LinkReport report;
    private final Clock clock;
    private final ReentrantLock mutex = new ReentrantLock();

    private volatile @Nullable NodeSession session;

    @GuardedBy("mutex")
    private boolean running;

    /** An attempt is under way, or must not begin yet. */
    @GuardedBy("mutex")
    private boolean joining;

    @GuardedBy("mutex")
    private final JoinPauses pauses;

    @GuardedBy("mutex")
    private final CandidateRound round;

    /** How the end of a session goes on. */
    enum End {
        /** It was not the present one: the thread that removed it does all the rest. */
        NOT_PRESENT,
        /** The link was stopped. */
        LEFT,
        /** The link joins again. */
        JOINS_AGAIN
    }

    /**
     * Makes the state of a link that was not started.
     *
     * @param identity is told of each session that becomes the present one
     * @param report is told of each change
     */
    LinkState(MemoryNodeIdentity identity, LinkReport report, JoinPauses pauses, CandidateRound round, Clock clock) {
        this.identity = identity;
        this.report = report;
        this.pauses = pauses;
        this.round = round;
        this.clock = clock;
    }

    /** Returns the present session, or null. */
    @Nullable
    NodeSession session() {
        return session;
    }

    /** Returns the present session, or null; waits for a change of it that is under way. */
    @Nullable
    NodeSession settledSession() {
        mutex.lock();
        try {
            return session;
        } finally {
            mutex.unlock();
        }
    }

    // ---------------------------------------------------------------- start and stop

    /** Lets attempts begin. Returns false if that was allowed before. */
    boolean start() {
        mutex.lock();
        try {
            if (running) {
                return false;
            }
            running = true;
            report.started();
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /** Lets no attempt begin any more. Returns the present session, which is to be ended, or null. */
    @Nullable
    NodeSession stop() {
        mutex.lock();
        try {
            running = false;
            if (session == null) {
                report.left();
            }
            return session;
        } finally {
            mutex.unlock();
        }
    }

    // ---------------------------------------------------------------- attempts to join

    /** Begins an attempt. Returns the candidates, beginning with the one to ask, or null if none may begin. */
    @Nullable
    MemoryNodeAddress beginAttempt() {
        mutex.lock();
        try {
            if (!running || joining || session != null) {
                return null;
            }
            joining = true;
            return round.present();
        } finally {
            mutex.unlock();
        }
    }

    /** The attempt is over, and counts neither as a success nor as a failure. */
    void attemptOver() {
        mutex.lock();
        try {
            joining = false;
        } finally {
            mutex.unlock();
        }
    }

    /** The attempt failed. Returns whether a candidate is left that was not asked since the last pause. */
    boolean attemptFailed(Throwable cause) {
        mutex.lock();
        try {
            joining = false;
            return round.failed(cause) && running;
        } finally {
            mutex.unlock();
        }
    }

    /** No candidate could be joined. Returns what they said if that has to be written into the log, else null. */
    @Nullable
    String roundFailed() {
        mutex.lock();
        try {
            FabricException.Refused lasting = round.refusal();
            String message = round.problems();
            round.beginAnew();
            boolean isFirst = pauses.failed(lasting != null);
            boolean isNew = report.notJoined(message, lasting);
            return (isFirst || isNew) && running ? message : null;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the length of the next pause; see {@link JoinPauses#nextNanos}. */
    long nextPauseNanos(boolean moves) {
        mutex.lock();
        try {
            return pauses.nextNanos(moves);
        } finally {
            mutex.unlock();
        }
    }

    /** The attempt has led to a session. Returns whether it is the present one from now on: false if the link was stopped meanwhile. */
    boolean joined(NodeSession fresh) {
        mutex.lock();
        try {
            joining = false;
            if (running) {
                pauses.joined(clock.nanoTime());
                round.beginAnew();
                session = fresh;
                identity.joined(fresh.joined());
                report.up();
            }
            return running;
        } finally {
            mutex.unlock();
        }
    }

    // ---------------------------------------------------------------- the end of a session

    /**
     * Removes a session that is over. Unless it was not the present one, {@link #mayJoinAtOnce} must follow; no attempt begins before
     * (rule C6).
     */
    End lost(NodeSession current, FabricException cause, boolean atItsBeginning) {
        mutex.lock();
        try {
            if (session != current) {
                return End.NOT_PRESENT;
            }
            removed(cause, atItsBeginning);
            return running ? End.JOINS_AGAIN : End.LEFT;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Removes a session that broke off, if it is the present one of a link that was not stopped. Returns whether it was; then
     * {@link #mayJoinAtOnce} must follow.
     */
    boolean brokenOff(NodeSession current, FabricException cause) {
        mutex.lock();
        try {
            if (!running || session != current) {
                return false;
            }
            removed(cause, false);
            round.beginWithNext();
            return true;
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void removed(FabricException cause, boolean atItsBeginning) {
        session = null;
        // No other thread joins in the meantime.
        joining = true;
        report.down(cause, running);
        pauses.lost(clock.nanoTime(), atItsBeginning);
    }

    /** All that follows the end of a session was done: attempts may begin. Returns whether one is to begin at once. */
    boolean mayJoinAtOnce() {
        mutex.lock();
        try {
            joining = false;
            return pauses.isNone();
        } finally {
            mutex.unlock();
        }
    }

    /** The memory node refuses something in the present session. */
    void refused(FabricException.Refused no) {
        mutex.lock();
        try {
            report.refused(no);
        } finally {
            mutex.unlock();
        }
    }
}
