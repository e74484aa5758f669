// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.LockMode;

/** A lock of the literature: what it keeps in a memory node's memory, and how a client uses that. Immutable. */
public interface LockProtocol {
    /** Returns its name. */
    String name();

    /** Returns how many words a lock has, which are zero before it is used. */
    int words();

    /** Returns whether the words of a lock are zero whenever nobody uses it. */
    boolean isZeroWhenUnused();

    /** Returns whether it has such a mode. */
    boolean has(LockMode mode);

    /**
     * Returns whether a client takes its place in the order of waiters by a change of the lock's first word that it makes. Where the order is that of the
     * memory node, a lock is granted in this order, to readers side by side.
     */
    boolean arrives(long before, long after);

    /** Returns whether locks are granted in the order of {@link #arrives}. */
    boolean isFair();

    /** Returns whether the lock of a client that died is granted to others after a while. */
    boolean outlivesClients();

    /**
     * Makes a client.
     *
     * @param number its number, from zero up to, and without, {@link #MOST_CLIENTS}
     */
    LockClient client(int number, LockWorld world);

    /** How many clients there can be. */
    int MOST_CLIENTS = 1 << 16;
}
