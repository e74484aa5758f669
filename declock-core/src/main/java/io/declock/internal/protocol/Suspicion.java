// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;

/**
 * Decides when this node has reason to ask the users of a lock whether any of them holds it (rule B10 of docs/protocol.md), because the
 * position of a dead member may keep the lock taken. Its input is the headers that waiters' self-checks and the attempts of callers that do
 * not wait find.
 *
 * <p>A position may have been left behind when this node begins to know the lock, if the memory node does not rule that out, and after every end of a member. Then the node asks at
 * once, and again soon after the queue has last moved: while the queue moves during a question, positions of a dead member cannot be
 * distinguished from those of living members. If no position can have been left behind, the node waits longer before it asks. Each question
 * after which the queue does not move doubles the time until the next one.
 *
 * <p>Guarded by the lock's mutex.
 */
final class Suspicion {
    /** The factor by which this node asks again sooner while a position may have been left behind. */
    private static final int SOONER = 8;

    private static final int MOST_DOUBLINGS = 4;

    private boolean asked;
    private boolean memberEnded;
    private boolean mayBeLeftBehind = true;
    private int epoch = -1;
    private int head;
    private long since;
    private int doublings;

    /** A member that may have had a position has ended. */
    void memberEnded() {
        memberEnded = true;
        mayBeLeftBehind = true;
    }

    /** Nobody has left a position behind before this node began to know the lock. */
    void hasNoOccasion() {
        asked = true;
        mayBeLeftBehind = false;
    }

    /** No dead member has a position before this node's. A waiter that finds one behind it asks on its own. */
    void nothingIsLeftBehind() {
        mayBeLeftBehind = false;
    }

    /** Another node asks the users. */
    void othersAsk(long now) {
        since = now;
    }

    private boolean isNew() {
        return !asked;
    }

    /** Returns whether there is reason to ask at once, and uses this reason up: the caller asks. */
    boolean takeOccasion() {
        boolean had = memberEnded || isNew();
        memberEnded = false;
        asked = true;
        return had;
    }

    /**
     * A caller or waiter found the lock taken; returns whether the users are to be asked whether they hold it.
     *
     * @param header the header that was found
     * @param patienceNanos how long the queue may stand still before there is reason to ask
     */
    boolean arises(long header, long now, long patienceNanos) {
        if (epoch != LockHeader.epoch(header) || head != LockHeader.head(header)) {
            epoch = LockHeader.epoch(header);
            head = LockHeader.head(header);
            since = now;
            doublings = 0;
        }
        if (takeOccasion()) {
            since = now;
            return true;
        }
        long patience = isImpatient() ? patienceNanos / SOONER : patienceNanos;
        if (now - since < patience << Math.min(doublings, MOST_DOUBLINGS)) {
            return false;
        }
        doublings++;
        since = now;
        return true;
    }

    private boolean isImpatient() {
        return mayBeLeftBehind;
    }
}
