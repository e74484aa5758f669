// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.ReleaseRead;
import io.declock.internal.layout.FencingToken;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.Timestamp;

/**
 * This node's knowledge while a position holds the lock: the token, the duration of the hold, and the remote waiters learnt of. Knowledge
 * never outlives the tenure it belongs to (rule E3). Guarded by the lock's mutex.
 */
public final class Tenure {
    /** How many intervals a holder that found no waiter lets pass before it looks at the queue. */
    static final int PATIENCE = 10;

    /**
     * How much earlier than a local caller a remote waiter must have come to take precedence, in units of {@link Timestamp}: clock offsets
     * are not known more exactly, and a hand-over for a difference that may not exist costs both sides a round trip.
     */
    private static final int TOLERANCE = 6;

    private static final long TOLERANCE_NANOS = TOLERANCE * Timestamp.UNIT_NANOS;

    /**
     * For how many round trips a lock must have been held before a waiter is likely to have arrived and written its entry. That takes two
     * round trips: one for the FAA and one for the WRITE.
     */
    private static final int ROUND_TRIPS = 2;

    /**
     * Which share of a turn of another compute node a tenure may last by passing known remote waiters. Turns consist of grants and of a
     * hand-over: with half of that, a tenure grows to what a hand-over takes and no further, if the others do the same.
     */
    private static final double SHARE_OF_A_TURN = 0.5;

    private int number;
    private long tokenEpoch;
    private int tokenIndex;
    private int sequence;
    /** The last index whose tokens belong to this position: those up to it were passed over when the position was marked (rule K6). */
    private int lastTokenIndex;
    /** Whether the own entry is marked as kept: every newcomer that finds the lock taken tells this node (rule K2). */
    private boolean marked;

    private long markBegan;
    private boolean knowsRemote;
    private int remoteTimestamp = -1;
    private long[] ahead = QueueEntry.NONE;
    private long lookedAt;
    private int patience = 1;
    private long askedAt;
    private long since;
    private boolean foundNobody;
    // If isCovered: every remote waiter that came before this instant is known.
    private long coveredUntil;
    private boolean isCovered;
    private long lookBegan;
    private boolean lookPlanned;
    private int incompleteLooks;
    // Local grants since then to callers that an unknown remote waiter may have preceded.
    private int unsure;
    private long unsureSince;
    private long knowsSince;
    private boolean passesKnown;
    private long passesKnownSince;
    private int positionsAhead;
    /** For how long after its begin the tenure may go on although a remote waiter is known that came before the next caller. */
    private long mayPassFor;
    // Local grants, since the queue was last seen to be empty, that may have passed a remote waiter.
    private int passed;

    /** Notes that a position is requested now. */
    void ask(long now) {
        askedAt = now;
        positionsAhead = 0;
    }

    /** Notes how many positions are granted the lock before the exclusive one that was requested. */
    void waitsBehind(int positions) {
        positionsAhead = positions;
    }

    void begin(long epoch, int index, long now) {
        number++;
        tokenEpoch = epoch;
        tokenIndex = index;
        lastTokenIndex = index;
        sequence = 0;
        since = now;
        lookedAt = now;
        forgetRemote();
        mayPassFor = positionsAhead == 0 ? 0 : (long) (SHARE_OF_A_TURN * (now - askedAt) / positionsAhead);
    }

    void end() {
        number++;
        forgetRemote();
    }

    void forgetRemote() {
        knowsRemote = false;
        remoteTimestamp = -1;
        ahead = QueueEntry.NONE;
        isCovered = false;
        lookPlanned = false;
        incompleteLooks = 0;
        unsure = 0;
        passesKnown = false;
        passed = 0;
        mayPassFor = 0;
        marked = false;
    }

    /** The own entry is being marked as kept. */
    void beginMark(long now) {
        markBegan = now;
    }

    /** The own entry is marked, and nobody waited then. The tokens of the indices up to that one belong to this position, too. */
    void mark(int lastIndex) {
        marked = true;
        lastTokenIndex = Math.max(lastTokenIndex, lastIndex);
        cover(markBegan);
    }

    /** The mark does not tell everybody any more: unknown waiters may come. */
    public void unmark() {
        marked = false;
    }

    /** Returns whether the own entry is marked as kept. */
    public boolean isMarked() {
        return marked;
    }

    /** Returns a number that changes whenever the knowledge becomes invalid. */
    public int number() {
        return number;
    }

    /**
     * Plans the first look at the queue. It comes much later if the FAA of the position has just shown that there is no waiter, because the
     * next renewal of the position shows this again. It comes at once if this node had to queue and the grant named no waiter behind it,
     * because there probably is one.
     */
    void planRemote(boolean nobodyWaits) {
        foundNobody = nobodyWaits;
        if (nobodyWaits) {
            cover(askedAt);
        }
        patience = nobodyWaits ? PATIENCE : ahead.length == 0 ? 0 : 1;
    }

    /**
     * Returns whether the release FAA is chained with a READ of the queue.
     *
     * @param free whether the READ costs nothing on this fabric
     */
    boolean isReadWorthIt(ReleaseRead setting, boolean free, Effects effects) {
        return switch (setting) {
            case ALWAYS -> true;
            case KNOWN -> knowsRemote;
            case ADAPTIVE ->
                free || knowsRemote || !foundNobody || effects.now() - since >= ROUND_TRIPS * (since - askedAt);
        };
    }

    /** Returns whether it is time to look at the queue; if so, the look counts as begun. */
    boolean beginLook(long now, long intervalNanos) {
        if (now - lookedAt < intervalNanos * patience) {
            return false;
        }
        beginLookNow(now);
        return true;
    }

    /** Notes that a look at the queue begins now, however recent the last one was. */
    void beginLookNow(long now) {
        lookedAt = now;
        lookBegan = now;
        patience = 1;
    }

    /** The look has shown every remote waiter that was in the queue when it began. */
    void lookedAtAll() {
        cover(lookBegan);
        incompleteLooks = 0;
    }

    private void cover(long instant) {
        isCovered = true;
        coveredUntil = instant;
        unsure = 0;
        if (!knowsRemote) {
            passed = 0;
        }
    }

    /**
     * The look has shown a waiter whose entry is not filled yet; returns how often in a row. It is not repeated before it matters: mostly
     * the lock is handed on, or the queue is looked at again, before it does.
     */
    int lookedInVain() {
        return ++incompleteLooks;
    }

    /** Returns how many looks in a row were in vain. */
    int looksInVain() {
        return incompleteLooks;
    }

    /** Returns how long ago the last look began. */
    long sinceLook(long now) {
        return now - lookBegan;
    }

    /** Another look begins on its own, after a pause. */
    void planLook() {
        lookPlanned = true;
    }

    /** The look that was planned begins. */
    void beginPlannedLook() {
        lookPlanned = false;
    }

    /** Returns whether another look will begin on its own, shortly after one that showed an unfilled entry. */
    boolean isLookPlanned() {
        return lookPlanned;
    }

    /** Learns from a grant: the entries behind the position, and the earliest timestamp among all waiters, or -1. */
    void learn(long[] entries, int earliest, long now) {
        if (entries.length > 0 || earliest >= 0) {
            learnWaiter(entries, earliest, now);
        }
    }

    /** Learns that there is a remote waiter, even if its entry is not filled yet. */
    void learnWaiter(long[] entries, int earliest, long now) {
        ahead = entries;
        remoteTimestamp = earliest;
        if (!knowsRemote) {
            knowsRemote = true;
            knowsSince = now;
        }
    }

    /** The position outlived a reset: local grants from now on belong to the new epoch. */
    void survive(long epoch) {
        number++;
        tokenEpoch = epoch;
        tokenIndex = 0;
        lastTokenIndex = 0;
        sequence = 0;
        forgetRemote();
    }

    boolean canUpgradeTo(int head) {
        return head > lastTokenIndex || hasNextToken(true);
    }

    /**
     * The shared position became exclusive. If readers came after it and left, the head is the index of the last of them, so the sequence
     * must be above every sequence that they can have used: it is the last one, which shared grants never use.
     */
    void upgrade(int head) {
        number++;
        if (head > lastTokenIndex) {
            tokenIndex = head;
            lastTokenIndex = head;
            sequence = FencingToken.SEQUENCES - 1;
        } else {
            nextToken();
        }
        forgetRemote();
    }

    /** Returns the entries that are known to follow the position. */
    long[] ahead() {
        return ahead;
    }

    /** Returns the earliest timestamp among the known entries after entry {@code i}, or -1. */
    int earliestAfter(int i, boolean ofWriters) {
        int earliest = -1;
        for (int j = i + 1; j < ahead.length; j++) {
            if (ofWriters && !QueueEntry.isExclusive(ahead[j])) {
                continue;
            }
            earliest = Timestamp.earlier(earliest, QueueEntry.timestamp(ahead[j]));
        }
        return earliest;
    }

    /** Returns the fencing token of the present local grant. */
    long token() {
        return FencingToken.pack(tokenEpoch, tokenIndex, sequence);
    }

    /**
     * Returns whether another local grant may be made under this queue index.
     *
     * @param exclusive mode of the position; a shared one leaves the last sequence to an upgrade
     */
    public boolean hasNextToken(boolean exclusive) {
        return sequence < FencingToken.SEQUENCES - (exclusive ? 1 : 2) || exclusive && tokenIndex < lastTokenIndex;
    }

    /** Returns how many more indices have tokens that belong to this position. */
    int indicesLeft() {
        return lastTokenIndex - tokenIndex;
    }

    /** Moves on to the token of the next local grant under this queue index, or under the next one that belongs to this position. */
    public void nextToken() {
        if (sequence == FencingToken.SEQUENCES - 1 && tokenIndex < lastTokenIndex) {
            tokenIndex++;
            sequence = 0;
        } else {
            sequence++;
        }
    }

    /**
     * Notes that a caller of this node is granted the lock locally, ahead of the remote queue.
     *
     * @param since when the caller came, on this node's clock
     */
    public void grantsLocally(long since, long now) {
        boolean unsureNow = mayBePreceded(since);
        if (unsureNow && unsure++ == 0) {
            unsureSince = now;
        }
        if (unsureNow || knowsRemote) {
            passed++;
        }
        if (knowsRemote && !passesKnown) {
            passesKnown = true;
            passesKnownSince = now;
        }
    }

    /** Returns whether an unknown remote waiter may have come before a local caller that came at that instant. */
    public boolean mayBePreceded(long since) {
        return !isCovered || since - coveredUntil > TOLERANCE_NANOS;
    }

    /**
     * Returns whether callers that a remote waiter may have preceded were granted the lock that often, or for that long. While the own entry is
     * marked a waiter tells this node that it is there, so that only the time counts, in case the message is lost.
     */
    public boolean isUnsureBeyond(int grants, long nanos, long now) {
        return !marked && unsure >= grants || unsure > 0 && now - unsureSince >= nanos;
    }

    /** Returns whether local callers have been granted the lock for that long although a remote waiter is known. */
    public boolean passesKnownBeyond(long nanos, long now) {
        return knowsRemote && passesKnown && now - passesKnownSince >= nanos;
    }

    /**
     * Returns whether a local caller may be granted the lock now although a remote waiter is known that came before it. A hand-over to another
     * compute node costs much more than one inside this node, so the tenure lasts for {@link #SHARE_OF_A_TURN} of what a turn of another
     * compute node took, hand-over included, while this node waited for the lock: short holds share the cost of a hand-over, and long ones
     * are granted in order.
     *
     * @param grants most local grants that may have passed a remote waiter
     * @param nanos for how long after its begin the tenure may go on at most
     */
    public boolean mayPassKnown(int grants, long nanos, long now) {
        return passed < grants && now - since < Math.min(mayPassFor, nanos);
    }

    /** Returns whether a remote waiter is known. */
    public boolean knowsRemote() {
        return knowsRemote;
    }

    /** Returns whether the earliest remote waiter that is known has an earlier timestamp, however little. */
    public boolean remoteStampIsBefore(int timestamp) {
        return remoteTimestamp >= 0 && Timestamp.isBefore(remoteTimestamp, timestamp);
    }

    /**
     * Returns whether a remote waiter is known to have come clearly before a local one: it was known when the local one came, or its
     * timestamp is earlier.
     *
     * @param since when the local one came, on this node's clock
     */
    public boolean remoteIsEarlierThan(int timestamp, long since) {
        return knowsRemote
                && (remoteTimestamp < 0
                        || since - knowsSince > TOLERANCE_NANOS
                        || Timestamp.isBefore(remoteTimestamp + TOLERANCE, timestamp));
    }
}
