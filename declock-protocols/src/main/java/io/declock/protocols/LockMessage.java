// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

import java.util.List;

/**
 * A message between two clients, or a client and the server, about one lock. Immutable.
 *
 * @param from number of the sender, or {@link LockProtocol#SERVER}
 * @param to number of the receiver, or {@link LockProtocol#SERVER}
 * @param lock address of the lock
 * @param kind what it says; each protocol has its own numbers
 * @param detail a value that the kind defines
 * @param words what travels with it
 */
public record LockMessage(int from, int to, long lock, int kind, long detail, List<Long> words) {
    /** Makes one. */
    public LockMessage {
        words = List.copyOf(words);
    }

    /** Makes one without words. */
    public LockMessage(int from, int to, long lock, int kind, long detail) {
        this(from, to, lock, kind, detail, List.of());
    }
}
