// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.LockMode;
import org.jspecify.annotations.Nullable;

/** A lock of the literature: what it keeps in a memory node's memory, and how a client uses that. Immutable. */
public interface LockProtocol {
    /** Returns its name. */
    String name();

    /** Returns how many words a lock has, which are zero before it is used. */
    int words();

    /** Returns whether a word of a lock is zero whenever nobody uses it. */
    boolean isZeroWhenUnused(int word);

    /** Returns whether it has such a mode. */
    boolean has(LockMode mode);

    /** Returns the order of its grants, {@link LockOrder#NONE} if it promises none. */
    LockOrder order();

    /** Returns whether the lock of a client that died is granted to others after a while. */
    boolean outlivesClients();

    /**
     * Makes a client.
     *
     * @param number its number, from zero up to, and without, {@link #MOST_CLIENTS}
     */
    LockClient client(int number, LockWorld world);

    /**
     * Makes the part of it beside the memory node, which gets messages to {@link #SERVER}.
     *
     * @return null if it has none
     */
    default @Nullable LockServer server(LockWorld world) {
        return null;
    }

    /** How many clients there can be. */
    int MOST_CLIENTS = 1 << 16;

    /** The number by which messages name the server as sender or receiver. */
    int SERVER = -1;
}
