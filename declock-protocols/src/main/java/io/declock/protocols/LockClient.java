// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.LockMode;

/**
 * A client: what holds locks or waits for them. It may hold several locks at a time, each once, and acquires none that it holds or waits for. Not
 * thread-safe: the {@link LockWorld} calls it on one thread at a time.
 */
public interface LockClient {
    /**
     * Asks for a lock.
     *
     * @param lock address of the lock
     * @param granted called when the client holds it, maybe before this method returns
     */
    void acquire(long lock, LockMode mode, Runnable granted);

    /**
     * Asks for a lock for several of its leases. A lock that has no leases, or none of several lengths, takes no notice of their number.
     *
     * @param lock address of the lock
     * @param leases for how many leases the client wants to hold it, at least one; the lock may grant fewer
     * @param granted called when the client holds it, maybe before this method returns
     */
    default void acquire(long lock, LockMode mode, int leases, Runnable granted) {
        acquire(lock, mode, granted);
    }

    /**
     * Returns when the client's lease of a lock ends, by its clock: from then on others may be granted the lock although it is not released. It may be over already. {@link
     * Long#MAX_VALUE} if nobody takes the lock away.
     *
     * @param lock address of a lock that the client holds
     */
    default long heldUntil(long lock) {
        return Long.MAX_VALUE;
    }

    /**
     * Returns how often the client waited in vain before it was granted a lock: its turn was taken away, or it took others' turns away and had to come again.
     *
     * @param lock address of a lock that the client holds
     */
    default int turnsLost(long lock) {
        return 0;
    }

    /**
     * Leaves a lock behind without a verb or a message, as a client that fails does. The client may acquire it again, as another one would.
     *
     * @param lock address of a lock that the client holds
     * @throws UnsupportedOperationException if the lock does not {@linkplain LockProtocol#outlivesClients() outlive} its clients
     */
    default void abandon(long lock) {
        throw new UnsupportedOperationException("nobody would get the lock ever again");
    }

    /**
     * Gives a lock back.
     *
     * @param lock address of a lock that the client holds
     * @param released called when the client may acquire it again, maybe before this method returns
     */
    void release(long lock, Runnable released);

    /**
     * Returns the words that a lock guards as the client has them, which it may change while it holds the lock to write. Empty if locks guard nothing that travels with
     * them.
     *
     * @param lock address of a lock that the client holds
     */
    default long[] guarded(long lock) {
        return new long[0];
    }

    /** Receives a message of another client or of the server. */
    void received(LockMessage message);
}
