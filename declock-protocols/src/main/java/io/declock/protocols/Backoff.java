// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

/** How long a client pauses before it tries again. Immutable. */
public interface Backoff {
    /** No pause at all. */
    Backoff NONE = (retries, world) -> 0;

    /**
     * The one of SMART (Ren et al., ASPLOS 2024) with the values that its published code has: 4,096 cycles at first and as the bound of the random part, and at most 1,024
     * times as many, at 2.4 GHz. There each thread lets the limit go up to that value while more than half of its tries are in vain, and down again while less than a
     * tenth are. Here it is the highest limit always.
     */
    Backoff SMART = truncatedExponential(1_707, 1_747_627, 1_707);

    /** Returns the one that a client uses: this one, unless it remembers how its client fares. */
    default Backoff ofClient() {
        return this;
    }

    /** The client has what it tried to get. */
    default void succeeded(LockWorld world) {}

    /**
     * Returns how long to pause.
     *
     * @param retries how often the client has tried in vain, at least once
     */
    long nanos(int retries, LockWorld world);

    /**
     * Truncated binary exponential back-off, as in the appendix (A.3) of DSLR's paper (SIGMOD 2018): a random pause up to a bound, which doubles up to a limit.
     *
     * @param shortest the first bound, in nanoseconds
     * @param longest the limit, in nanoseconds
     */
    static Backoff binaryExponential(long shortest, long longest) {
        return (retries, world) -> world.below(Math.min(longest, shortest << Math.min(retries - 1, 30)) + 1);
    }

    /**
     * Truncated exponential back-off as in SMART, with a limit that follows each client's share of tries in vain, as ShiftLock's published code has it: once in 64 successes, but not more often than
     * once in a millisecond, the limit doubles if more than half of the tries since then were in vain, and is halved if less than a tenth were.
     *
     * @param shortest the first pause, the bound of the random part, and the limit at first and at least, in nanoseconds
     * @param doublings how often the limit doubles at most
     */
    static Backoff adaptive(long shortest, int doublings) {
        return new AdaptiveBackoff(shortest, doublings);
    }

    /**
     * Truncated exponential back-off: pauses double up to a limit, and each has a random part.
     *
     * @param shortest the first pause, in nanoseconds
     * @param longest the limit, in nanoseconds
     * @param random bound of the random part, in nanoseconds
     */
    static Backoff truncatedExponential(long shortest, long longest, long random) {
        return (retries, world) -> Math.min(longest, shortest << Math.min(retries - 1, 30)) + world.below(random);
    }
}
