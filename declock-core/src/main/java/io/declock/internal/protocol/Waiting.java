// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

/** What a node remembers while its position waits; {@link PendingRequest} acts on it. Guarded by the lock's mutex. */
final class Waiting {
    private static final int MOST_DOUBLINGS = 4;
    /** How much sooner than others a position that had no slot checks at least. */
    private static final int SOONER = 8;
    /** Releases between two looks after which the speed of the queue is known. */
    private static final int ENOUGH = 16;
    /** Part of the remaining time after which such a position looks again. */
    private static final int PART = 4;

    private static final long SLOWEST_PACE_NANOS = 1_000_000_000;
    /** Positions before one that is so far behind that it looks less often than others, if it knows how slow its queue is. */
    private static final int FAR_BEHIND = 256;
    /** The longest time between two of its looks. */
    private static final long LONGEST_NANOS = 1_000_000_000;

    private boolean entryOutdated;
    private boolean checkArmed;
    private int checks;
    private long since;
    private long lastAsked;

    // Of a position whose slot belongs to another waiter, or did when it was taken.
    private boolean crowded;
    private boolean slot;
    private int toGo;
    private int sampleHead;
    private long sampledAt;
    /** Shortest time from release to release so far, or 0 if it is not known. */
    private long pace;
    /** The pace was measured during this wait. */
    private boolean paced;
    /** Looks in a row that saw the queue stand still. */
    private int stillLooks;

    /** A position begins to wait. */
    void begin(long now) {
        since = now;
        lastAsked = now;
        crowded = false;
        slot = true;
        sampleHead = -1;
        // What the last position has found out counts half.
        pace = Math.min(2 * pace, SLOWEST_PACE_NANOS);
        paced = false;
        stillLooks = 0;
        checks = 0;
    }

    /**
     * The queue was seen.
     *
     * @param head its head
     * @param beforeSlot number of positions that must be released before the slot of this one is free, not positive if it is
     * @param beforeTurn number of positions before this one
     */
    void sees(int head, int beforeSlot, int beforeTurn, long now) {
        slot = beforeSlot <= 0;
        crowded |= !slot;
        toGo = slot ? beforeTurn : beforeSlot;
        stillLooks = head == sampleHead ? stillLooks + 1 : 0;
        int released = head - sampleHead;
        if (sampleHead >= 0 && released >= ENOUGH) {
            long present = Math.max(1, (now - sampledAt) / released);
            pace = pace == 0 ? present : Math.min(pace, present);
            paced = true;
        }
        if (sampleHead < 0 || released == 0 || released >= ENOUGH) {
            sampleHead = head;
            sampledAt = now;
        }
    }

    /** Returns whether the slot of the position was free when the queue was seen last. */
    boolean hasSlot() {
        return slot;
    }

    /** Notes whether the entry that is being written belongs to an earlier position, so that another must follow. */
    void toEntryOutdated(boolean outdated) {
        entryOutdated = outdated;
    }

    boolean isEntryOutdated() {
        return entryOutdated;
    }

    /** Arms the timer of the self-check; returns false if it was armed already. */
    boolean armCheck() {
        boolean first = !checkArmed;
        checkArmed = true;
        return first;
    }

    /** The timer of the self-check has run. */
    void checkDue() {
        checkArmed = false;
    }

    /** A self-check begins. */
    void countCheck() {
        checks++;
    }

    /** Returns how long a position waits at least before its first self-check. */
    long firstCheck(long intervalNanos) {
        return crowded ? intervalNanos / SOONER : intervalNanos;
    }

    /**
     * Returns the time until the next self-check without jitter: each check doubles it, up to a limit. A position that had no slot checks
     * again after a part of the time in which its slot will be free, or its turn will have come, if the queue moves as fast as it ever did:
     * those before it may have looked for its entry too early. With a slower guess the queue would stand still until the next look, and
     * each next guess would be slower. While the queue stands still each look doubles the time.
     */
    long untilCheck(long intervalNanos, long now) {
        if (!crowded) {
            return intervalNanos << Math.min(checks, MOST_DOUBLINGS);
        }
        long waited = now - since;
        long guess = pace == 0 ? waited : pace * toGo / PART;
        long least = firstCheck(intervalNanos);
        // Far behind in a slow queue there is nothing to see for long, and the looks of a thousand waiters would slow
        // it down further.
        long longest = Math.max(
                intervalNanos << MOST_DOUBLINGS, paced && toGo >= FAR_BEHIND ? Math.min(guess, LONGEST_NANOS) : 0);
        return Math.min(Math.max(least, Math.min(guess, longest)) << Math.min(stillLooks, 2 * MOST_DOUBLINGS), longest);
    }

    boolean hasLasted(long nanos, long now) {
        return now - since >= nanos;
    }

    /** The users are asked whether any of them holds the lock. */
    void ask(long now) {
        lastAsked = now;
    }

    boolean hasNotAskedFor(long nanos, long now) {
        return now - lastAsked >= nanos;
    }
}
