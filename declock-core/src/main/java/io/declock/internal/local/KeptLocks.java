// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.local;

import io.declock.KeepSettings;
import io.declock.internal.monitor.Loop;
import io.declock.internal.time.Clock;
import io.declock.internal.time.TimerService;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The locks whose positions a compute node keeps: bounds their number, and gives those back that have no user for long. One timer serves all of
 * them, and none while there is none. Thread-safe.
 */
public final class KeptLocks extends Loop {
    /** Keeps nothing. */
    public static final KeptLocks NONE = new KeptLocks(KeepSettings.OFF, () -> 0, (delayNanos, task) -> {});

    private static final int LOOKS_PER_IDLE = 4;
    private static final int MOST = 64;
    private static final int COST = 4;

    /** One of the locks. */
    interface Kept {
        /** Returns the lock's name. */
        String name();

        /** Returns whether this node keeps the lock and holds it for nobody. */
        boolean isKeptUnused();

        /** Gives the position back if it has had no user for that long. */
        void giveBackUnused(long nanos);
    }

    private final KeepSettings settings;
    /** How many kept positions have paid lately, less those that have not. */
    private final AtomicInteger balance = new AtomicInteger();
    // By name, so that a simulated run is the same each time.
    private final Map<String, Kept> locks = new ConcurrentHashMap<>();

    /** Makes it without a lock. */
    public KeptLocks(KeepSettings settings, Clock clock, TimerService timer) {
        super(
                "the look at kept locks",
                clock,
                timer,
                Math.max(1, settings.idle().toNanos() / LOOKS_PER_IDLE));
        this.settings = settings;
    }

    KeepSettings settings() {
        return settings;
    }

    /** Returns whether a lock may be kept: it is known here, or there is room for it. */
    boolean admit(Kept lock) {
        if (locks.get(lock.name()) == lock) {
            return true;
        }
        if (locks.size() >= settings.max()) {
            return false;
        }
        locks.put(lock.name(), lock);
        wake();
        return true;
    }

    /** A lock is kept no more, or forgotten. */
    void remove(Kept lock) {
        locks.remove(lock.name(), lock);
    }

    /** Returns whether it has paid lately to keep positions. */
    boolean pays() {
        return balance.get() >= 0;
    }

    /** A position was given back, and keeping it has paid or not. What did not pay has cost about as much as four others have saved. */
    void gaveBack(boolean paid) {
        balance.updateAndGet(now -> paid ? Math.min(MOST, now + 1) : Math.max(-MOST, now - COST));
    }

    /** Returns how many positions are kept without a user now. */
    public int unused() {
        return (int) locks.values().stream().filter(Kept::isKeptUnused).count();
    }

    /** Gives back every position that has no user, because the compute node leaves. */
    public void giveBackAll() {
        locks.values().forEach(lock -> lock.giveBackUnused(0));
    }

    @Override
    protected boolean isNeeded() {
        return !locks.isEmpty();
    }

    @Override
    protected void step(long lateNanos) {
        long idle = settings.idle().toNanos();
        locks.values().forEach(lock -> lock.giveBackUnused(idle));
    }
}
