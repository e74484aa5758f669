// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.evaluation.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.LockMode;
import io.declock.protocols.application.ApplicationWorld;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the clients of one compute node use together, as Sherman's local lock tables do: a client waits for those of its compute node first, and a client that is done hands the
 * lock over to the next one here, without a verb, up to a number of times in a row. Then, or if nobody waits here, the lock is released for all. Thread-safe.
 */
final class LocalLocks {
    /** How often a lock is handed over in a row before other compute nodes have a turn. */
    static final int HAND_OVERS = 4;

    private record Waiter(ApplicationWorld world, Runnable granted) {}

    /** A lock that a client of the compute node has, or has asked for. */
    private static final class Taken {
        private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
        /** The client by whose lock it is held: it must release it. */
        private ApplicationWorld by;

        private int handOvers;

        Taken(ApplicationWorld by) {
            this.by = by;
        }
    }

    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private final Map<Integer, Taken> taken = new HashMap<>();

    /** Returns the locks as a client uses them. */
    NodeLocks of(ApplicationWorld world) {
        return new NodeLocks() {
            @Override
            public void acquire(int lock, Runnable granted) {
                LocalLocks.this.acquire(world, lock, granted);
            }

            @Override
            public void release(int lock, Runnable released) {
                LocalLocks.this.release(world, lock, released);
            }
        };
    }

    private void acquire(ApplicationWorld world, int lock, Runnable granted) {
        if (isFirst(lock, new Waiter(world, granted))) {
            world.acquire(lock, LockMode.WRITE, granted);
        }
    }

    /** Returns whether nobody here has the lock or has asked for it; else the client waits. */
    private boolean isFirst(int lock, Waiter waiter) {
        mutex.lock();
        try {
            Taken now = taken.get(lock);
            if (now == null) {
                taken.put(lock, new Taken(waiter.world()));
                return true;
            }
            now.waiters.add(waiter);
            return false;
        } finally {
            mutex.unlock();
        }
    }

    private void release(ApplicationWorld world, int lock, Runnable released) {
        Waiter next = handOver(lock);
        if (next != null) {
            // In the turn of the client that gets it.
            next.world().after(0, next.granted());
            released.run();
        } else {
            by(lock).release(lock, () -> {
                world.after(0, released);
                askAgain(lock);
            });
        }
    }

    /** Returns the client that has the lock next without a verb, or null if the lock is to be released. */
    private @Nullable Waiter handOver(int lock) {
        mutex.lock();
        try {
            Taken now = held(lock);
            if (now.handOvers == HAND_OVERS || now.waiters.isEmpty()) {
                return null;
            }
            now.handOvers++;
            return now.waiters.remove();
        } finally {
            mutex.unlock();
        }
    }

    private ApplicationWorld by(int lock) {
        mutex.lock();
        try {
            return held(lock).by;
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private Taken held(int lock) {
        return Objects.requireNonNull(taken.get(lock), "the lock is not held");
    }

    /** The next one that waits here asks for the lock itself. */
    private void askAgain(int lock) {
        Waiter first = nextToAsk(lock);
        if (first != null) {
            first.world().acquire(lock, LockMode.WRITE, first.granted());
        }
    }

    /** Returns the next one that asks for the lock, or null if nobody does. */
    private @Nullable Waiter nextToAsk(int lock) {
        mutex.lock();
        try {
            Taken now = held(lock);
            Waiter waiter = now.waiters.poll();
            if (waiter == null) {
                taken.remove(lock);
            } else {
                now.by = waiter.world();
                now.handOvers = 0;
            }
            return waiter;
        } finally {
            mutex.unlock();
        }
    }
}
