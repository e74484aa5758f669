// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.PredecessorAnswer.Kind;
import io.declock.spi.FormerMemoryNode;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The states of a memory node's predecessors: being asked, living or gone. Thread-safe; it only keeps the states and starts no action. */
final class PredecessorTable {
    /** Most predecessors that are asked at a time. */
    static final int MOST_ASKED = 16;
    /** Most predecessors that are remembered as gone; a forgotten one is asked again when a compute node reports it. */
    static final int MOST_GONE = 256;

    private final String id;
    private final long incarnation;
    private final OldLeases oldLeases;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<FormerMemoryNode, Suspect> suspects = new HashMap<>();

    @GuardedBy("lock")
    private final Set<FormerMemoryNode> gone = new LinkedHashSet<>();

    @GuardedBy("lock")
    private boolean startingOver;
    // Written with the lock held.
    private volatile @Nullable FormerMemoryNode twin;
    private volatile long found;

    /** A predecessor that is being asked. Guarded by the lock. */
    private static final class Suspect {
        /** It was found to be alive. */
        private boolean lives;
        /** It answered the last question. */
        private boolean answered;
        /** The time since which it has been silent, if it did not answer. */
        private long silentSince;

        Suspect(long now) {
            this.silentSince = now;
        }
    }

    /** The outcome of a report. */
    enum Reported {
        /** It is gone. */
        GONE,
        /** It must be asked. */
        NEW,
        /** It is being asked. */
        ASKED,
        /** The largest number of predecessors is being asked already. */
        TOO_MANY
    }

    /** The next step after an answer. */
    enum Next {
        /** None: it is not asked any more. */
        NOTHING,
        /** Ask again. */
        ASK_AGAIN,
        /** It is the first living one that was found: end all sessions, and ask again. */
        END_SESSIONS,
        /** It is gone: if it was the last living one, start over. */
        START_OVER
    }

    /**
     * Makes an empty table.
     *
     * @param id stable id of this memory node
     * @param incarnation its incarnation
     */
    PredecessorTable(String id, long incarnation, OldLeases oldLeases) {
        this.id = id;
        this.incarnation = incarnation;
        this.oldLeases = oldLeases;
    }

    /** Returns the first living predecessor that was found, until this memory node has started over; else null. */
    @Nullable
    FormerMemoryNode twin() {
        return twin;
    }

    /** Returns how often a first living predecessor was found. */
    long found() {
        return found;
    }

    /** Returns whether a predecessor is being asked. */
    boolean isAsking() {
        lock.lock();
        try {
            return !suspects.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Handles a compute node's report of a predecessor. */
    Reported reported(FormerMemoryNode former, long now) {
        lock.lock();
        try {
            if (gone.contains(former)) {
                return Reported.GONE;
            }
            if (suspects.containsKey(former)) {
                return Reported.ASKED;
            }
            if (suspects.size() >= MOST_ASKED) {
                return Reported.TOO_MANY;
            }
            suspects.put(former, new Suspect(now));
            return Reported.NEW;
        } finally {
            lock.unlock();
        }
    }

    /** Handles a predecessor's answer, or its silence. */
    Next answered(FormerMemoryNode former, PredecessorAnswer answer, long now) {
        lock.lock();
        try {
            Suspect suspect = suspects.get(former);
            return suspect == null ? Next.NOTHING : judge(former, suspect, answer, now);
        } finally {
            lock.unlock();
        }
    }

    // Called with the lock held.
    @GuardedBy("lock")
    private Next judge(FormerMemoryNode former, Suspect suspect, PredecessorAnswer answer, long now) {
        boolean answers = answer.kind() == Kind.MEMORY_NODE;
        // Whatever its incarnation: a memory node with this id that is not this one is a second one.
        if (answers && answer.id().equals(id) && answer.incarnation() != incarnation) {
            boolean first = twin == null;
            lives(former, suspect);
            return first ? Next.END_SESSIONS : Next.ASK_AGAIN;
        }
        if (answer.kind() == Kind.NO_ANSWER && isRecent(suspect, now)) {
            if (suspect.answered) {
                suspect.answered = false;
                suspect.silentSince = now;
            }
            return Next.ASK_AGAIN;
        }
        // If this memory node itself answers at the address of its former life, that life ended before this one began.
        boolean isFormerLife = answers && answer.incarnation() == incarnation;
        long grantedUntil = answer.kind() == Kind.NO_ANSWER ? suspect.silentSince : now;
        if (suspect.lives) {
            oldLeases.startOver(grantedUntil);
        } else if (!isFormerLife) {
            oldLeases.grantedUntil(grantedUntil);
        }
        forget(former);
        return Next.START_OVER;
    }

    /**
     * Returns whether a predecessor answered recently. A silent one may be paused, and compute nodes that hold locks there do not notice
     * for the length of a lease.
     */
    private boolean isRecent(Suspect suspect, long now) {
        return suspect.answered
                || now - suspect.silentSince < oldLeases.longest().toNanos();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Written with the lock held.
    private void lives(FormerMemoryNode former, Suspect suspect) {
        suspect.answered = true;
        suspect.lives = true;
        if (twin == null) {
            // In this order: an earlier session is ended, and a join under way finds that the number has changed.
            twin = former;
            found++;
        }
    }

    // Called with the lock held.
    @GuardedBy("lock")
    private void forget(FormerMemoryNode former) {
        suspects.remove(former);
        gone.add(former);
        if (gone.size() > MOST_GONE) {
            Iterator<FormerMemoryNode> oldest = gone.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /**
     * Returns whether to start over now: no predecessor lives any more, and no other thread has begun to start over. If so, {@link
     * #startedOver} must follow.
     */
    boolean beginsToStartOver() {
        lock.lock();
        try {
            boolean begins = twin != null && !startingOver && noneLives();
            startingOver |= begins;
            return begins;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the attempt to start over that {@link #beginsToStartOver} began.
     *
     * @param done whether it was possible
     * @return whether the memory node has started over: it was possible, and no other living predecessor was found meanwhile
     */
    boolean startedOver(boolean done) {
        lock.lock();
        try {
            startingOver = false;
            boolean over = done && noneLives();
            if (over) {
                twin = null;
            }
            return over;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean noneLives() {
        return suspects.values().stream().noneMatch(suspect -> suspect.lives);
    }
}
