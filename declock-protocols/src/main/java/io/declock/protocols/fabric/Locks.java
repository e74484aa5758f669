// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols.fabric;

import io.declock.LockMode;

/** The locks that an application's clients use on a fabric. Thread-safe. */
interface Locks extends AutoCloseable {
    /** Returns what runs what a client is told. */
    Turns turns(int client);

    /** Asks for a lock; the function is called in the client's turn. */
    void acquire(int client, int lock, LockMode mode, Runnable granted);

    /** Gives a lock back; the function is called in the client's turn. */
    void release(int client, int lock, Runnable released);

    @Override
    void close();
}
