// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.session;

import io.declock.internal.time.RandomSource;

/** How long a link pauses before it tries to join again. The mutex of its {@link LinkState} guards it. */
final class JoinPauses {
    private static final long FIRST_RETRY_NANOS = 20_000_000L;

    /**
     * Pauses between attempts to join are 40, 80, 160 and then 320 ms, plus up to half of that at random. They lengthen a waiter's wait
     * after a memory node came back, so the longest one is short. A refused attempt costs a memory node one accepted connection and two
     * frames. From 1,000 compute nodes that is some 2,500 attempts a second, and the random part spreads them.
     */
    private static final int MAX_DOUBLINGS = 4;

    /** The next life of a memory node waits for the processes that have holds of the former one, and all others wait for that. */
    private static final int MOST_DOUBLINGS_OF_A_MOVE = 1;

    /**
     * A lasting refusal, such as one for a wrong secret, ends only when an operator changes a configuration. So the pauses grow further
     * with each refusal, to 5 s and up to half of that at random.
     */
    private static final int MAX_REFUSED_DOUBLINGS = 8;

    /**
     * Two consecutive sessions that end sooner are followed by pauses too: their cause may persist, and each end may cost other compute
     * nodes a reset.
     */
    private static final long LONG_LIFE_NANOS = 250_000_000L;

    /** With short leases, a session counts as long-lived after the lease divided by this number. */
    private static final int LIVES_PER_LEASE = 10;

    private final RandomSource random;
    private final long longLifeNanos;
    private int failures;
    private int refusals;
    private int shortLives;
    private long joinedAt;

    JoinPauses(RandomSource random, long leaseNanos) {
        this.random = random;
        this.longLifeNanos = Math.min(LONG_LIFE_NANOS, leaseNanos / LIVES_PER_LEASE);
    }

    void joined(long now) {
        joinedAt = now;
        failures = 0;
        refusals = 0;
    }

    /** Counts an attempt that failed. Returns whether it is the first one since the last session. */
    boolean failed(boolean refused) {
        refusals = refused ? refusals + 1 : 0;
        return failures++ == 0;
    }

    /** Counts the end of a session. One whose start failed counts as the last of many short ones. */
    void lost(long now, boolean atItsBeginning) {
        boolean lived = now - joinedAt >= longLifeNanos;
        shortLives = atItsBeginning ? MAX_DOUBLINGS : lived ? 0 : shortLives + 1;
    }

    /** Returns whether the next attempt follows the end of a session at once. */
    boolean isNone() {
        return shortLives <= 1;
    }

    /**
     * Returns the length of the next pause, with its random part.
     *
     * @param moves whether holds wait to be restored, which others wait for
     */
    long nextNanos(boolean moves) {
        int most = moves ? MOST_DOUBLINGS_OF_A_MOVE : MAX_DOUBLINGS;
        int doublings =
                Math.max(Math.min(Math.max(failures, shortLives), most), Math.min(refusals, MAX_REFUSED_DOUBLINGS));
        long delay = FIRST_RETRY_NANOS << doublings;
        return delay + random.below(delay / 2);
    }
}
