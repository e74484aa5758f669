// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connections that have not joined yet. There is always room for one more: at a bound the oldest one loses its place, and connections
 * without a proof lose theirs first. So a client that opens connections and sends nothing only displaces its own older ones, while a
 * compute node, which needs its place for milliseconds, gets through.
 *
 * <p>A network address has a bound of its own, so that only several addresses together can reach the bound of all. Thread-safe.
 *
 * @param <C> a connection
 */
final class Newcomers<C> {
    private final int most;
    private final int mostOfOneAddress;
    private final ReentrantLock lock = new ReentrantLock();
    // The fields below are guarded by the lock.
    @GuardedBy("lock")
    private final Group<C> all = new Group<>();

    @GuardedBy("lock")
    private final Map<Object, Group<C>> byAddress = new HashMap<>();

    @GuardedBy("lock")
    private final Map<C, Object> addresses = new HashMap<>();

    /** Connections in the order of their arrival. */
    private static final class Group<C> {
        private final LinkedHashSet<C> strangers = new LinkedHashSet<>();
        private final LinkedHashSet<C> proved = new LinkedHashSet<>();

        int size() {
            return strangers.size() + proved.size();
        }

        /** Returns the connection that has to make room; there must be one. */
        C next() {
            Iterator<C> oldest = (strangers.isEmpty() ? proved : strangers).iterator();
            return oldest.next();
        }

        void remove(C connection) {
            if (!strangers.remove(connection)) {
                proved.remove(connection);
            }
        }

        void prove(C connection) {
            if (strangers.remove(connection)) {
                proved.add(connection);
            }
        }
    }

    /**
     * Makes one without connections.
     *
     * @param most most connections in all, at least 1
     * @param mostOfOneAddress most connections from one network address, at least 1
     */
    Newcomers(int most, int mostOfOneAddress) {
        this.most = most;
        this.mostOfOneAddress = mostOfOneAddress;
    }

    /** Adds a connection and returns the connection that loses its place, or null. */
    @Nullable
    C add(C connection, Object address) {
        lock.lock();
        try {
            Group<C> same = byAddress.computeIfAbsent(address, key -> new Group<>());
            C evicted = null;
            if (same.size() >= mostOfOneAddress) {
                evicted = same.next();
            } else if (all.size() >= most) {
                evicted = all.next();
            }
            if (evicted != null) {
                forget(evicted);
            }
            addresses.put(connection, address);
            // The eviction may have removed a group that became empty.
            byAddress.computeIfAbsent(address, key -> same).strangers.add(connection);
            all.strangers.add(connection);
            return evicted;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the connection that is next to lose its place, and returns it, or null if there is none. */
    @Nullable
    C evict() {
        lock.lock();
        try {
            if (all.size() == 0) {
                return null;
            }
            C evicted = all.next();
            forget(evicted);
            return evicted;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a connection has proved that it knows the secret. */
    void proved(C connection) {
        lock.lock();
        try {
            Object address = addresses.get(connection);
            Group<C> same = address == null ? null : byAddress.get(address);
            if (same != null) {
                same.prove(connection);
                all.prove(connection);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes a connection that has joined or ended. */
    void remove(C connection) {
        lock.lock();
        try {
            forget(connection);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void forget(C connection) {
        Object address = addresses.remove(connection);
        if (address == null) {
            return;
        }
        all.remove(connection);
        Group<C> same = byAddress.get(address);
        if (same != null) {
            same.remove(connection);
            if (same.size() == 0) {
                byAddress.remove(address);
            }
        }
    }

    /** Returns the number of connections. */
    int size() {
        lock.lock();
        try {
            return all.size();
        } finally {
            lock.unlock();
        }
    }
}
