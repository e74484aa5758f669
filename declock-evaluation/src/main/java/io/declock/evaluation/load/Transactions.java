// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.load;

/** Makes the transactions of a benchmark, one after the other. Immutable. */
public interface Transactions {
    /** Returns the benchmark's name. */
    String name();

    /** Returns how many locks there are. */
    int locks();

    /**
     * Returns the next transaction of a client.
     *
     * @param client number of the client
     */
    Transaction next(int client, Chance chance);

    /** Returns how long a transaction works between its last acquisition and its first release, in nanoseconds. */
    long workNanos(Transaction transaction);
}
