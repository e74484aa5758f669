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
