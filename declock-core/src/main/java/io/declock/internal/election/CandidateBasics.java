// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.election;

import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;

/**
 * What every part of a candidate may use of it, so that no part needs the {@link Candidacy}, which makes them.
 *
 * @param memoryNode id of the memory node
 * @param address address of the candidate
 * @param leaseNanos lease of a term
 */
record CandidateBasics(
        String memoryNode, String address, long leaseNanos, Attempts engine, Clock clock, TimerService timer) {
    /** The part of a lease, in eighths, on which a candidate counts: its clock may run slower than the engine's. */
    private static final int COUNTED_EIGHTHS = 7;

    private static final int EIGHTHS = 8;
    private static final int ATTEMPTS_PER_LEASE = 4;

    /** Returns the time between two attempts, or two renewals. */
    long attemptNanos() {
        return leaseNanos / ATTEMPTS_PER_LEASE;
    }

    /** Returns until when a candidate counts on a term that was granted, renewed or promised by the answer to what it sent then (rule H6). */
    long counted(long sentAt) {
        return sentAt + leaseNanos * COUNTED_EIGHTHS / EIGHTHS;
    }
}
