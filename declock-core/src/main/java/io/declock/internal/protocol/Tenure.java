// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.protocol;

import io.declock.ReleaseRead;
import io.declock.internal.layout.FencingToken;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.Timestamp;

/**
 * What is known while a position holds the lock: its token, how long it has been held, and what has been learnt of remote
 * waiters. Knowledge never outlives the tenure it belongs to (rule E3). Guarded by the lock's mutex.
 */
public final class Tenure {
    /** How many intervals a holder that found nobody waiting lets pass before it looks. */
    static final int PATIENCE = 10;

    /**
     * How much earlier a remote waiter must have come for its claim to count, in units of {@link Timestamp}: clocks are not known
     * any better, and giving a lock away for a difference that may not exist costs both sides a round trip.
     */
    private static final int TOLERANCE = 6;

    private static final long TOLERANCE_NANOS = TOLERANCE * Timestamp.UNIT_NANOS;

    /**
     * For how many round trips a lock must have been held before somebody is likely to have come and to have its entry written, which
     * takes two: one for the FAA and one for the WRITE.
     */
    private static final int ROUND_TRIPS = 2;

    private int number;
    private long tokenEpoch;
    private int tokenIndex;
    private int sequence;
    private boolean knowsRemote;
    private int remoteTimestamp = -1;
    private long[] ahead = HandOver.NO_ENTRIES;
    private long lookedAt;
    private int patience = 1;
    private long askedAt;
    private long since;
    private boolean foundNobody;
    private int localGrants;
    // Every remote waiter that came before that instant is known; only if isCovered.
    private long coveredUntil;
    private boolean isCovered;
    private long lookBegan;
    private boolean lookPlanned;
    private int incompleteLooks;
    // Local grants since then to callers that a remote waiter may have come before.
    private int unsure;
    private long unsureSince;
    private long knowsSince;
    private boolean passesKnown;
    private long passesKnownSince;

    /** A position is asked for now. */
    void ask(long now) {
        askedAt = now;
    }

    void begin(long epoch, int index, long now) {
        number++;
        tokenEpoch = epoch;
        tokenIndex = index;
        sequence = 0;
        since = now;
        lookedAt = now;
        localGrants = 0;
        forgetRemote();
    }

    void end() {
        number++;
        forgetRemote();
    }

    void forgetRemote() {
        knowsRemote = false;
        remoteTimestamp = -1;
        ahead = HandOver.NO_ENTRIES;
        isCovered = false;
        lookPlanned = false;
        incompleteLooks = 0;
        unsure = 0;
        passesKnown = false;
    }

    /** Returns a number that changes whenever what is known stops to count. */
    int number() {
        return number;
    }

    /**
     * Says whether the position was had without waiting, and so how soon the first look at the queue is worth it: much later if the FAA of the position has just shown that nobody waits,
     * because the next renewal of the position shows it again; at once if the lock was queued for and the grant told of nobody
     * behind, because somebody probably is.
     */
    void planRemote(boolean nobodyWaits) {
        foundNobody = nobodyWaits;
        if (nobodyWaits) {
            cover(askedAt);
        }
        patience = nobodyWaits ? PATIENCE : ahead.length == 0 ? 0 : 1;
    }

    /**
     * Returns whether the READ of the queue is posted with the release FAA.
     *
     * @param free whether it costs nothing there
     */
    boolean isReadWorthIt(ReleaseRead setting, boolean free, Effects effects) {
        return switch (setting) {
            case ALWAYS -> true;
            case KNOWN -> knowsRemote;
            case ADAPTIVE ->
                free || knowsRemote || !foundNobody || effects.now() - since >= ROUND_TRIPS * (since - askedAt);
        };
    }

    /** Returns whether it is time to look at the queue, and if so, takes it that somebody does. */
    boolean beginLook(long now, long intervalNanos) {
        if (now - lookedAt < intervalNanos * patience) {
            return false;
        }
        beginLookNow(now);
        return true;
    }

    /** Takes it that somebody looks at the queue now, however short a time ago that was done before. */
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
    }

    /**
     * The look has shown somebody whose entry is not filled yet; returns how often in a row. It is not repeated before it matters: mostly
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

    /** Returns whether another look begins on its own, a moment after one in vain. */
    boolean isLookPlanned() {
        return lookPlanned;
    }

    /** What came with a grant: the entries behind the position and the earliest timestamp among all that wait, or -1. */
    void learn(long[] entries, int earliest, long now) {
        if (entries.length > 0 || earliest >= 0) {
            learnWaiter(entries, earliest, now);
        }
    }

    /** What a look at the queue showed: somebody waits, even if its entry was not filled yet. */
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
        sequence = 0;
        forgetRemote();
    }

    boolean canUpgradeTo(int head) {
        return head > tokenIndex || sequence < FencingToken.SEQUENCES - 1;
    }

    /**
     * The shared position became exclusive. If readers came after it and left, the head is the index of the last of them, so the
     * sequence must be above any that they can have had: the last one, which shared grants leave free.
     */
    void upgrade(int head) {
        number++;
        if (head > tokenIndex) {
            tokenIndex = head;
            sequence = FencingToken.SEQUENCES - 1;
        } else {
            sequence++;
        }
        forgetRemote();
    }

    /** Returns the entries that are known to follow the position. */
    long[] ahead() {
        return ahead;
    }

    /** Returns the earliest timestamp among the known entries after position {@code i} of them, or -1. */
    int earliestAfter(int i, boolean ofWriters) {
        int earliest = -1;
        for (int j = i + 1; j < ahead.length; j++) {
            if (ofWriters && !QueueEntry.isExclusive(ahead[j])) {
                continue;
            }
            earliest = earlier(earliest, QueueEntry.timestamp(ahead[j]));
        }
        return earliest;
    }

    /** Returns the earlier of two timestamps, of which the first may be -1 for none. */
    static int earlier(int earliest, int timestamp) {
        return earliest < 0 || Timestamp.isBefore(timestamp, earliest) ? timestamp : earliest;
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
        return sequence < FencingToken.SEQUENCES - (exclusive ? 1 : 2);
    }

    /** Moves on to the next token under this queue index. */
    public void nextToken() {
        sequence++;
    }

    /** Moves on to the token of the next local hand-over. */
    public void handOver() {
        nextToken();
        localGrants++;
    }

    /**
     * A caller of this node is granted the lock without the remote queue.
     *
     * @param since when it came, on this node's clock
     */
    public void grantsLocally(long since, long now) {
        if (mayBePreceded(since) && unsure++ == 0) {
            unsureSince = now;
        }
        if (knowsRemote && !passesKnown) {
            passesKnown = true;
            passesKnownSince = now;
        }
    }

    /** Returns whether somebody who is not known of may wait remotely and have come before a local caller, which came at that instant. */
    public boolean mayBePreceded(long since) {
        return !isCovered || since - coveredUntil > TOLERANCE_NANOS;
    }

    /** Returns whether so many, or for so long, local callers were granted the lock that a remote waiter may have come before. */
    public boolean isUnsureBeyond(int grants, long nanos, long now) {
        return unsure >= grants || unsure > 0 && now - unsureSince >= nanos;
    }

    /** Returns whether local callers have been granted the lock for so long although a remote waiter is known. */
    public boolean passesKnownBeyond(long nanos, long now) {
        return knowsRemote && passesKnown && now - passesKnownSince >= nanos;
    }

    /** Returns local hand-overs in this tenure. */
    public int localGrants() {
        return localGrants;
    }

    /** Returns whether a remote waiter is known of. */
    public boolean knowsRemote() {
        return knowsRemote;
    }

    /**
     * Returns whether a remote waiter is known to have come clearly before a local one: it was known when that came, or its timestamp is
     * earlier.
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
