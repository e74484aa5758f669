// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.coherence;

import io.declock.LockMode;

/** A client's view of a lock in coherent memory. */
interface CoherentLock {
    /** The line of the data that the lock guards. */
    int DATA = 0;

    /** The first line of the lock. */
    int LOCK = 1;

    /** Behind it each client has a line. */
    int CLIENTS = 2;

    void acquire(LockMode mode, Runnable acquired);

    void release(LockMode mode, Runnable released);

    /** Its ways to be a lock. */
    enum Algorithm {
        /** No lock of its own: the data's line is the lock, which Soul keeps until the release. */
        SOUL,
        /** One word, which counts readers and shows a writer. */
        COUNTER,
        /** The queue of Mellor-Crummey and Scott, without readers. */
        MCS,
        /** A word for each reader, and one for writers. */
        PER_CLIENT
    }

    /** Makes the view of a client. */
    static CoherentLock of(Algorithm algorithm, int client, int clients, Lines lines) {
        return switch (algorithm) {
            case SOUL -> new SoulsOwn();
            case COUNTER -> new CounterLock(lines);
            case MCS -> new QueueLock(client, lines);
            case PER_CLIENT -> new PerClientLock(client, clients, lines);
        };
    }

    /** Nothing besides the data's line. */
    final class SoulsOwn implements CoherentLock {
        @Override
        public void acquire(LockMode mode, Runnable acquired) {
            acquired.run();
        }

        @Override
        public void release(LockMode mode, Runnable released) {
            released.run();
        }
    }
}
