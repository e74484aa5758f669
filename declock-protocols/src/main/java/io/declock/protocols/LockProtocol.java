// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import io.declock.LockMode;
import org.jspecify.annotations.Nullable;

/** A lock of the literature: what it keeps in a memory node's memory, and how a client uses that. Immutable. */
public interface LockProtocol {
    /** Returns its name. */
    String name();

    /** Returns how many words a lock has, which are zero before it is used. They are aligned to their size if that is a power of two. */
    int words();

    /**
     * Returns whether these may be the words of a lock that nobody holds, waits for or releases.
     *
     * @param words what the lock has in memory
     */
    boolean isUnused(long[] words);

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

    /** Returns how many words the server has for all locks of its memory node, at {@link LockWorld#serverAddress}. They are zero at first. */
    default int serverWords() {
        return 0;
    }

    /** How many clients there can be. */
    int MOST_CLIENTS = 1 << 16;

    /** The number by which messages name the server as sender or receiver. */
    int SERVER = -1;
}
