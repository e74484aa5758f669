// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.protocols;

/**
 * The part of a lock that runs beside the memory node, if it has one. It changes memory by verbs, as clients do: an adapter's atomics are atomic with
 * nothing else. Not thread-safe: the {@link LockWorld} calls it on one thread at a time.
 */
@FunctionalInterface
public interface LockServer {
    /** Receives a message of a client. */
    void received(LockMessage message);
}
