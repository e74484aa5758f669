// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

/** What a node remembers while its position waits; {@link PendingRequest} acts on it. Guarded by the lock's mutex. */
final class Waiting {
    private static final int MOST_DOUBLINGS = 4;

    private boolean overflowed;
    private boolean entryOutdated;
    private boolean checkArmed;
    private int checks;
    private long since;
    private long lastAsked;

    /**
     * A position begins to wait.
     *
     * @param beyondCapacity whether its slot belongs to another waiter, so that no entry may be written (rule A9)
     */
    void begin(boolean beyondCapacity, long now) {
        overflowed = beyondCapacity;
        since = now;
        lastAsked = now;
        checks = 0;
    }

    /** Returns whether the slot of the position belongs to another waiter. */
    boolean isOverflowed() {
        return overflowed;
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

    /** Returns the time until the next self-check without jitter: each check doubles it, up to a limit. */
    long untilCheck(long intervalNanos) {
        return intervalNanos << Math.min(checks, MOST_DOUBLINGS);
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
