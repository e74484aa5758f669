// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.memorynode.PredecessorAnswer.Kind;
import io.declock.spi.FormerMemoryNode;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Which predecessors of a memory node are being asked, which of them live, and which are gone. Thread-safe; does nothing about it. */
final class PredecessorTable {
    /** Most predecessors that are being asked at a time. */
    static final int MOST_ASKED = 16;
    /** Most predecessors that are remembered as gone; one that was forgotten is asked again when somebody reports it. */
    static final int MOST_GONE = 256;

    private final String id;
    private final long incarnation;
    private final OldLeases oldLeases;
    private final ReentrantLock lock = new ReentrantLock();
    // With the lock held.
    private final Map<FormerMemoryNode, Suspect> suspects = new HashMap<>();
    private final Set<FormerMemoryNode> gone = new LinkedHashSet<>();
    private boolean startingOver;
    // Written with the lock held.
    private volatile @Nullable FormerMemoryNode twin;
    private volatile long found;

    /** A predecessor that is being asked. With the lock held. */
    private static final class Suspect {
        /** It was found to live. */
        private boolean lives;
        /** So it said when it was last asked. */
        private boolean answered;
        /** Since when it has been silent, if it did not. */
        private long silentSince;

        Suspect(long now) {
            this.silentSince = now;
        }
    }

    /** What follows a report. */
    enum Reported {
        /** It is gone. */
        GONE,
        /** It must be asked. */
        NEW,
        /** It is being asked. */
        ASKED,
        /** As many are being asked as may be. */
        TOO_MANY
    }

    /** What follows an answer. */
    enum Next {
        /** Nothing: it is not asked any more. */
        NOTHING,
        /** Ask again. */
        ASK_AGAIN,
        /** The first one was found that lives: end all sessions, and ask again. */
        END_SESSIONS,
        /** It is gone: if it was the last one that lived, start over. */
        START_OVER
    }

    /**
     * Makes an empty one.
     *
     * @param id stable id of this memory node
     * @param incarnation its incarnation
     */
    PredecessorTable(String id, long incarnation, OldLeases oldLeases) {
        this.id = id;
        this.incarnation = incarnation;
        this.oldLeases = oldLeases;
    }

    /** Returns the first that was found of those that live, until this memory node has started over; else null. */
    @Nullable
    FormerMemoryNode twin() {
        return twin;
    }

    /** Returns how often a first one was found. */
    long found() {
        return found;
    }

    /** Somebody reports a predecessor. */
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

    /** A predecessor has answered, or has not. */
    Next answered(FormerMemoryNode former, PredecessorAnswer answer, long now) {
        lock.lock();
        try {
            Suspect suspect = suspects.get(former);
            return suspect == null ? Next.NOTHING : judge(former, suspect, answer, now);
        } finally {
            lock.unlock();
        }
    }

    // With the lock held.
    private Next judge(FormerMemoryNode former, Suspect suspect, PredecessorAnswer answer, long now) {
        boolean answers = answer.kind() == Kind.MEMORY_NODE;
        // In whichever of its lives: one that has this id and is not this memory node is a second one.
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
        // This memory node answers at the address of its former life, which has ended before it began, then.
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

    /** One that is silent may be paused, and those that hold locks there do not know for as long as a lease lasts. */
    private boolean isRecent(Suspect suspect, long now) {
        return suspect.answered
                || now - suspect.silentSince < oldLeases.longest().toNanos();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Written with the lock held.
    private void lives(FormerMemoryNode former, Suspect suspect) {
        suspect.answered = true;
        suspect.lives = true;
        if (twin == null) {
            // In this order: a session that was joined before is ended, one that is joined after finds that the number
            // has changed.
            twin = former;
            found++;
        }
    }

    // With the lock held.
    private void forget(FormerMemoryNode former) {
        suspects.remove(former);
        gone.add(former);
        if (gone.size() > MOST_GONE) {
            Iterator<FormerMemoryNode> oldest = gone.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Returns whether to start over now: none lives any more, and nobody else has begun to. {@link #startedOver} must follow then. */
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
     * What {@link #beginsToStartOver} began has ended.
     *
     * @param done whether it was possible
     * @return whether it is over: it was possible, and no other predecessor was found meanwhile
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

    private boolean noneLives() {
        return suspects.values().stream().noneMatch(suspect -> suspect.lives);
    }
}
