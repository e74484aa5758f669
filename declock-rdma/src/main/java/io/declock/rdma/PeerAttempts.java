// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The numbers of attempts to connect to peers, and the highest of each peer that was taken here: none is taken twice, so a request that
 * was recorded on the network opens nothing. Whoever keeps one for a peer drops it when that peer is no member any more. Thread-safe.
 */
final class PeerAttempts {
    /** Of this process and all its sessions: a member never uses a number twice. */
    private static final AtomicLong LAST = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private final Map<PeerConnections.Key, Long> highest = new HashMap<>();

    /** Returns a number for an attempt of this process. */
    static long next() {
        return LAST.incrementAndGet();
    }

    /** Takes an attempt of a peer, which has proved that it is its own; returns false if it is not above those taken before. */
    boolean take(PeerConnections.Key peer, long attempt) {
        lock.lock();
        try {
            Long before = highest.get(peer);
            if (before != null && attempt <= before) {
                return false;
            }
            highest.put(peer, attempt);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets peers of which nothing is taken any more. */
    void drop(Predicate<PeerConnections.Key> gone) {
        lock.lock();
        try {
            highest.keySet().removeIf(gone);
        } finally {
            lock.unlock();
        }
    }

    /** Returns of how many peers a number is kept. */
    int count() {
        lock.lock();
        try {
            return highest.size();
        } finally {
            lock.unlock();
        }
    }
}
