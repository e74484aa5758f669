// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.LockMode;

/** The locks that an application's clients use on a fabric. Thread-safe. */
interface Locks extends AutoCloseable {
    /** Returns what runs what a client is told. */
    Turns turns(int client);

    /** Asks for a lock; the function is called in the client's turn. */
    void acquire(int client, int lock, LockMode mode, int leases, Runnable granted);

    /** Returns when the lease of a lock that the client holds ends; called in the client's turn. */
    long heldUntil(int client, int lock);

    /** Returns how often the client waited in vain before it was granted a lock that it holds; called in the client's turn. */
    int turnsLost(int client, int lock);

    /**
     * Leaves a lock behind; called in the client's turn.
     *
     * @throws UnsupportedOperationException if nobody would get it ever again
     */
    void abandon(int client, int lock);

    /** Gives a lock back; the function is called in the client's turn. */
    void release(int client, int lock, Runnable released);

    @Override
    void close();
}
