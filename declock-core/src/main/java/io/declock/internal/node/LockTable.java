// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.DistributedReadWriteLock;
import io.declock.LockNames;
import io.declock.internal.local.LocalLock;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.session.NodeSession;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks of this process by name. Idle ones are kept up to a bound. Beyond the bound, each new lock makes the table examine a few others
 * and forget those that are idle and were not used since the last examination, so that a name in use is not resolved again and again. Names
 * that are used once do not displace the others. While all locks are in use, the table grows by a sixteenth over its bound, until every
 * lock has been examined once. Thread-safe.
 */
final class LockTable {
    private static final int SWEEP = 16;

    private final LocalLock.Host host;
    private final int maxIdle;
    private final ConcurrentHashMap<String, LocalLock> locks = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();
    private final ReentrantLock sweeping = new ReentrantLock();

    @GuardedBy("sweeping")
    private @Nullable Iterator<LocalLock> hand;

    LockTable(LocalLock.Host host, int maxIdle) {
        this.host = host;
        this.maxIdle = maxIdle;
    }

    /** Refuses what cannot be a lock's name. */
    static void checkName(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a lock name must not be empty");
        }
        LockNames.checkEncodable("a lock name", name);
        int most = DistributedReadWriteLock.MAX_NAME_BYTES;
        if (name.length() * 3L > most && name.getBytes(StandardCharsets.UTF_8).length > most) {
            throw new IllegalArgumentException("a lock name may have " + most + " bytes of UTF-8, this one has "
                    + name.getBytes(StandardCharsets.UTF_8).length + ": " + LockNames.quoted(name.substring(0, 64))
                    + "…");
        }
    }

    LocalLock get(String name) {
        LocalLock known = locks.get(name);
        if (known != null) {
            return known;
        }
        LocalLock fresh = new LocalLock(host, name);
        LocalLock raced = locks.putIfAbsent(name, fresh);
        if (raced != null) {
            return raced;
        }
        if (size.incrementAndGet() > maxIdle) {
            sweep();
        }
        return fresh;
    }

    @Nullable
    LocalLock find(String name) {
        return locks.get(name);
    }

    /** Forgets some idle locks. Does nothing while another thread does this. */
    @SuppressWarnings("GuardedBy") // Error Prone does not follow tryLock().
    private void sweep() {
        if (!sweeping.tryLock()) {
            return;
        }
        try {
            sweepOn();
        } finally {
            sweeping.unlock();
        }
    }

    @GuardedBy("sweeping")
    private void sweepOn() {
        for (int i = 0; i < SWEEP && size.get() > maxIdle; i++) {
            if (hand == null || !hand.hasNext()) {
                hand = locks.values().iterator();
                if (!hand.hasNext()) {
                    return;
                }
            }
            LocalLock next = hand.next();
            if (!next.spare()) {
                forget(next);
            }
        }
    }

    /** Forgets a lock if it is idle. */
    boolean forget(LocalLock lock) {
        CqlLock remote = lock.remote();
        NodeSession session = remote != null && remote.environment() instanceof NodeSession s ? s : null;
        if (!lock.retire()) {
            return false;
        }
        if (locks.remove(lock.name(), lock)) {
            size.decrementAndGet();
        }
        host.forgotten(lock);
        if (remote != null && session != null) {
            session.locks().unregister(remote.record(), lock);
        }
        return true;
    }

    Iterable<LocalLock> all() {
        return locks.values();
    }

    int size() {
        return size.get();
    }
}
