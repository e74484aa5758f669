// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.rdma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The numbers of attempts to connect to peers, and the highest number accepted from each peer. No number is accepted twice, so a request
 * that was recorded on the network opens no connection. The caller drops a peer's number when the peer is no longer a member.
 * Thread-safe.
 */
final class PeerAttempts {
    /** The last number of this process, for all its sessions: a member never uses a number twice. */
    private static final AtomicLong LAST = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<PeerConnections.Key, Long> highest = new HashMap<>();

    /** Returns a number for an attempt of this process. */
    static long next() {
        return LAST.incrementAndGet();
    }

    /** Accepts an attempt of a peer whose proof was correct; returns false if its number is not higher than those accepted before. */
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

    /** Forgets peers from which no attempt is accepted any more. */
    void drop(Predicate<PeerConnections.Key> gone) {
        lock.lock();
        try {
            highest.keySet().removeIf(gone);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of peers for which a number is kept. */
    int count() {
        lock.lock();
        try {
            return highest.size();
        } finally {
            lock.unlock();
        }
    }
}
