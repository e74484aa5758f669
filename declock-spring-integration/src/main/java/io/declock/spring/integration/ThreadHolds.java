// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.spring.integration;

import io.declock.DistributedReadWriteLock;
import io.declock.LockNames;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each thread holds by registries, and nothing else: a thread without holds has no map. */
final class ThreadHolds {
    private static final ThreadLocal<@Nullable Map<Key, ThreadHold>> OF_THREAD = new ThreadLocal<>();

    private ThreadHolds() {}

    /**
     * A lock of one process: registries with one prefix have the same.
     *
     * @param locks the locks that it is one of
     * @param name its name
     */
    record Key(DistributedReadWriteLock locks, String name) {}

    /** Returns the innermost hold of the calling thread, or null. */
    static @Nullable ThreadHold find(Key key) {
        Map<Key, ThreadHold> mine = OF_THREAD.get();
        return mine == null ? null : mine.get(key);
    }

    /**
     * Returns the innermost hold of the calling thread.
     *
     * @throws IllegalMonitorStateException if there is none
     */
    static ThreadHold get(Key key) {
        ThreadHold held = find(key);
        if (held == null) {
            throw new IllegalMonitorStateException(
                    "lock " + LockNames.quoted(key.name()) + " is not held by " + Thread.currentThread());
        }
        return held;
    }

    /** Makes {@code hold} the innermost hold of the calling thread; with null the thread has none any more. */
    static void set(Key key, @Nullable ThreadHold hold) {
        Map<Key, ThreadHold> mine = OF_THREAD.get();
        if (hold != null) {
            if (mine == null) {
                mine = new HashMap<>();
                OF_THREAD.set(mine);
            }
            mine.put(key, hold);
        } else if (mine != null) {
            mine.remove(key);
            if (mine.isEmpty()) {
                OF_THREAD.remove();
            }
        }
    }

    /** Returns how many locks the calling thread holds. */
    static int count() {
        Map<Key, ThreadHold> mine = OF_THREAD.get();
        return mine == null ? 0 : mine.size();
    }
}
