// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock;

import java.time.Duration;

/**
 * The protocol's intervals and bounds.
 *
 * @param selfCheckInterval how long a waiter waits before it first checks on its own whether it was granted; doubles up to 16 times
 *     that, with jitter
 * @param prefetchInterval how often, at most, a holder with local waiters READs the remote queue
 * @param refetchLimit how often unfilled entries are read again; after that the waiter learns of its grant by its self-check
 * @param refetchInterval pause before a repeated refetch
 * @param suspectAfter how long a waiter waits before it asks the users of the lock whether any of them holds it
 * @param resetPollInterval how often a waiter checks whether a reset is over, doubling up to 16 times that
 * @param resetResendInterval how often an unanswered reset signal is sent again
 * @param preArmedHandOver whether a writer that knows its successor grants before its release FAA (rule F of docs/protocol.md)
 * @param releaseRead which release FAAs are chained with a READ of the queue
 */
public record CqlSettings(
        Duration selfCheckInterval,
        Duration prefetchInterval,
        int refetchLimit,
        Duration refetchInterval,
        Duration suspectAfter,
        Duration resetPollInterval,
        Duration resetResendInterval,
        boolean preArmedHandOver,
        ReleaseRead releaseRead) {
    /** The defaults. */
    public static final CqlSettings DEFAULTS = new CqlSettings(
            Duration.ofMillis(10),
            Duration.ofNanos(500_000),
            8,
            Duration.ofNanos(50_000),
            Duration.ofSeconds(2),
            Duration.ofMillis(1),
            Duration.ofMillis(20),
            true,
            ReleaseRead.ADAPTIVE);
}
