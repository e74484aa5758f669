// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.application;

import io.declock.LockMode;
import io.declock.spi.VerbChain;

/**
 * What a client of an application needs of the world around it: locks, verbs on the application's data, time and chance. Clients of one process may hand a lock over among themselves: so another client's
 * thread may call {@link #acquire}, {@link #release} and {@link #after}, and what it asks for happens in the turn of the client whose world it is.
 */
public interface ApplicationWorld {
    /** How many words of data lie side by side at least: words with the same number divided by this do. */
    int BLOCK = 1 << 11;

    /**
     * Asks for a lock. A client may hold several, each once. A lock without readers is acquired for writing in any mode.
     *
     * @param lock number of the lock
     * @param granted called when the client holds it, maybe before this method returns
     */
    void acquire(int lock, LockMode mode, Runnable granted);

    /**
     * Asks for a lock for several of its leases, as {@link io.declock.protocols.LockClient#acquire(long, LockMode, int, Runnable)} does.
     *
     * @param lock number of the lock
     * @param leases for how many leases the client wants to hold it, at least one
     * @param granted called when the client holds it, maybe before this method returns
     */
    default void acquire(int lock, LockMode mode, int leases, Runnable granted) {
        acquire(lock, mode, granted);
    }

    /**
     * Returns when the client's lease of a lock ends, by {@link #now}, or {@link Long#MAX_VALUE} if nobody takes the lock away. Called in the client's turn.
     *
     * @param lock number of a lock that the client holds
     */
    default long heldUntil(int lock) {
        return Long.MAX_VALUE;
    }

    /**
     * Returns how often the client waited in vain before it was granted a lock; called in the client's turn. Its turn was taken away meanwhile, or it took others' turns away.
     *
     * @param lock number of a lock that the client holds
     */
    default int turnsLost(int lock) {
        return 0;
    }

    /**
     * Leaves a lock behind without releasing it, as a client that fails does. The client may acquire it again, as another one would. Called in the client's turn.
     *
     * @param lock number of a lock that the client holds
     * @throws UnsupportedOperationException if nobody would get the lock ever again
     */
    default void abandon(int lock) {
        throw new UnsupportedOperationException("nobody would get the lock ever again");
    }

    /**
     * Gives a lock back.
     *
     * @param lock number of a lock that the client holds
     * @param released called when the lock's release has completed, maybe before this method returns
     */
    void release(int lock, Runnable released);

    /**
     * Returns where a word of the data is in the region, in bytes.
     *
     * @param word number of the word
     */
    long address(long word);

    /** Posts a chain of verbs on the data; chains of one client are executed in the order of posting. Its purpose is {@link io.declock.Purpose#INSPECT}. */
    void post(VerbChain chain);

    /** Returns the client's clock, in nanoseconds. */
    long now();

    /** Lets something happen later. */
    void after(long nanos, Runnable event);

    /** Returns a random number from zero up to, and without, a bound; zero for a bound that is not positive. */
    long below(long bound);

    /**
     * Tells that the client has ended an operation.
     *
     * @param kind what kind of operation it is: a small number that the application chooses
     * @param since when it began, by {@link #now}
     */
    void done(int kind, long since);

    /** Tells that the client has given an operation up, or has failed in it; it is not {@linkplain #done done}. */
    default void aborted() {}
}
