// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.spi.VerbChain;

/**
 * What a client of a lock, or its server, needs of the world around it: verbs on the memory of one memory node, messages to other clients, time and chance.
 * Whatever a client is told, it is told by one thread at a time.
 */
public interface LockWorld {
    /** Posts a chain of verbs; chains of one client are executed in the order of posting. */
    void post(VerbChain chain);

    /** Returns where the words of the server begin, if the lock has any ({@link LockProtocol#serverWords}). */
    default long serverAddress() {
        throw new UnsupportedOperationException("the lock's server has no words");
    }

    /** Returns whether the client lives with the memory node, so that it reaches the words by the processor, without the adapter. */
    default boolean isLocal() {
        return false;
    }

    /**
     * Executes a chain of verbs by the processor, if the client {@linkplain #isLocal() is local}; chains of one client are executed in the order of posting. Atomics
     * of the processor are atomic to each other. To those that adapters execute ({@link #post}) they are not: that one is a read and a later write for the processor,
     * so a word needs atomics of one kind only, and no local WRITE beside remote atomics. READs and WRITEs of a word are atomic otherwise.
     *
     * @throws UnsupportedOperationException if the client is not local
     */
    default void postLocal(VerbChain chain) {
        throw new UnsupportedOperationException("the client does not live with the memory node");
    }

    /** Sends a message to another client or the server. Messages from one client to another arrive once and in order, unless one of the two has died. */
    void send(LockMessage message);

    /** Returns the client's clock, in nanoseconds. */
    long now();

    /** Lets something happen later. */
    void after(long nanos, Runnable event);

    /** Returns a random number from zero up to, and without, a bound; zero for a bound that is not positive. */
    long below(long bound);
}
