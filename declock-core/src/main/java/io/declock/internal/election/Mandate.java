// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.internal.memorynode.Term;
import io.declock.internal.time.Clock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A candidate's term as the candidate itself may count on it: until an instant of its own clock, which renewals and promises move. When that
 * instant has passed once, the mandate is over for ever, even if the engine would still renew it: others have been told so. Thread-safe.
 */
final class Mandate implements Term {
    private static final long OVER = Long.MIN_VALUE;

    private final Clock clock;
    private final long number;
    private final Runnable whenOver;
    private final AtomicLong until;

    /** @param whenOver runs once, on the thread that finds it over; must not block */
    Mandate(Clock clock, long number, long until, Runnable whenOver) {
        this.clock = clock;
        this.number = number;
        this.whenOver = whenOver;
        this.until = new AtomicLong(until == OVER ? until + 1 : until);
    }

    /** Returns the number of the term. */
    long number() {
        return number;
    }

    @Override
    public boolean lasts() {
        while (true) {
            long present = until.get();
            if (present == OVER) {
                return false;
            }
            if (clock.nanoTime() - present < 0) {
                return true;
            }
            if (until.compareAndSet(present, OVER)) {
                whenOver.run();
                return false;
            }
        }
    }

    /** Lets it last until an instant, if that is later, unless it is over. */
    void extend(long then) {
        long present = until.get();
        while (present != OVER && then - present > 0 && !until.compareAndSet(present, then)) {
            present = until.get();
        }
    }

    /** Returns how long it lasts without an extension; zero or less if it does not. */
    long leftNanos() {
        long present = until.get();
        return present == OVER ? 0 : present - clock.nanoTime();
    }

    /** Ends it; returns whether this call did. */
    boolean end() {
        return until.getAndSet(OVER) != OVER;
    }
}
