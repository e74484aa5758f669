// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.time.Clock;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The wait for leases that an earlier life of this memory node, or another memory node of the same id, may have granted (rule C3).
 * Thread-safe.
 */
final class OldLeases {
    private final MemoryNodeSettings settings;
    private final HighWaterMark mark;
    private final Duration longest;
    private final AtomicReference<@Nullable Wait> wait;

    /** A wait whose end no join request has met yet. */
    private record Wait(long overAt) {}

    /** @param listed whether every compute node that may have a lease is on the {@link MemberList}, so that only those are waited for */
    OldLeases(MemoryNodeSettings settings, HighWaterMark mark, Clock clock, boolean listed) {
        this.settings = settings;
        this.mark = mark;
        this.longest = settings.formerLease().plus(settings.leaseMargin());
        this.wait = new AtomicReference<>(
                settings.waitOutOldSessions() && !listed ? new Wait(clock.nanoTime() + longest.toNanos()) : null);
    }

    /** Returns the longest lease that can have been granted, with its margin. */
    Duration longest() {
        return longest;
    }

    /**
     * Ends the wait if its time is over.
     *
     * @return whether this call ended it
     * @throws FabricException.Refused if its time is not over
     */
    boolean check(long now) throws FabricException.Refused {
        Wait present = wait.get();
        if (present == null) {
            return false;
        }
        if (now - present.overAt < 0) {
            throw new FabricException.Refused(
                    Reason.NOT_YET,
                    "memory node " + settings.id()
                            + " started with empty memory and waits for leases of its former life to run out, "
                            + leftAt(now).toMillis() + " ms more");
        }
        // The former life may have raised its mark up to the second in which it ended.
        mark.raiseAbove(settings.secondsSince2025().getAsLong());
        // This leaves another wait alone that has begun meanwhile.
        return wait.compareAndSet(present, null);
    }

    /** Returns the rest of the wait, zero if it is over. */
    Duration leftAt(long now) {
        Wait present = wait.get();
        return Duration.ofNanos(present == null ? 0 : Math.max(0, present.overAt - now));
    }

    /** Lengthens the wait for another memory node, which may have granted leases until then. Does nothing once the wait has ended. */
    void grantedUntil(long then) {
        wait.updateAndGet(present -> present == null ? null : later(present, then));
    }

    /** Begins to wait again, for the leases that were granted until then. */
    void startOver(long then) {
        wait.updateAndGet(present -> later(present, then));
    }

    private Wait later(@Nullable Wait present, long then) {
        long overAt = then + longest.toNanos();
        return present == null || overAt - present.overAt > 0 ? new Wait(overAt) : present;
    }
}
