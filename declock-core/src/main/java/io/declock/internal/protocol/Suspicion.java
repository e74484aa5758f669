// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.internal.layout.LockHeader;

/**
 * When this node has reason to ask the users of a lock whether anybody holds it (rule B10 of docs/protocol.md), as it may be the position
 * of somebody dead that keeps the lock taken. It is fed by what waiters' self-checks and the tries of callers who do not wait find.
 *
 * <p>While a position may have been left behind, which is so since this node began to know the lock and after every end of a member, it
 * asks at once, and again soon after the queue has last moved: in a queue that moves while the question goes round no position of a dead
 * member can be told from those of the living. When nothing can have been left behind, it is patient. Each question after which nothing moves doubles the time until the next one.
 *
 * <p>Guarded by the lock's mutex.
 */
final class Suspicion {
    /** How much sooner than usual it asks again while a position may have been left behind. */
    private static final int SOONER = 8;

    private static final int MOST_DOUBLINGS = 4;

    private boolean asked;
    private boolean memberEnded;
    private boolean mayBeLeftBehind = true;
    private int epoch = -1;
    private int head;
    private long since;
    private int doublings;

    /** A member has ended, which may have had a position. */
    void memberEnded() {
        memberEnded = true;
        mayBeLeftBehind = true;
    }

    /** Nobody dead has a position in front of this node's, or whoever finds one behind it asks on its own. */
    void nothingIsLeftBehind() {
        mayBeLeftBehind = false;
    }

    private boolean isNew() {
        return !asked;
    }

    /** Returns whether there is reason to ask at once, which is taken for asking. */
    boolean takeOccasion() {
        boolean had = memberEnded || isNew();
        memberEnded = false;
        asked = true;
        return had;
    }

    /**
     * Somebody found the lock taken; returns whether the users are to be asked who holds it.
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
