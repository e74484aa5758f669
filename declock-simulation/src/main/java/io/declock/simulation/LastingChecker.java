// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.local.HeldLock;
import io.declock.internal.local.Hold;
import java.util.HashMap;
import java.util.Map;

/** Checks that nobody is granted a lock that is to stay taken for a while, not even the owner that has released it (rules R1 to R4). */
final class LastingChecker {
    /** Clocks drift by one per cent at most, in both directions. */
    private static final double SHORTEST = 0.97;

    private final SimulatedWorld world;
    private final Map<String, Lasting> byName = new HashMap<>();

    private record Lasting(Hold hold, SimulatedComputeNode node, MemoryNodeLife life, long until) {
        /** A memory node that starts again forgets what processes have reserved that do not hold any more. */
        boolean isForgotten() {
            return !life.isAlive() && (hold.lost() != null || !node.isAlive() || !HeldLock.mayTrustLease(hold));
        }
    }

    LastingChecker(SimulatedWorld world) {
        this.world = world;
    }

    /** A hold lasts that long from an instant, at least. */
    void lasts(Hold hold, SimulatedComputeNode node, MemoryNodeLife life, long from, long nanos) {
        long until = from + (long) (nanos * SHORTEST);
        Lasting known = byName.get(hold.lock().name());
        if (known == null || known.hold != hold || known.until < until) {
            byName.put(hold.lock().name(), new Lasting(hold, node, life, until));
        }
    }

    void begins(HoldRecord granted, Hold hold) {
        Lasting lasting = byName.get(granted.name());
        if (lasting != null && lasting.hold != hold && world.now() < lasting.until && !lasting.isForgotten()) {
            throw new Violation(
                    "reservation",
                    granted + " begins, although a hold of " + lasting.node + " lasts until " + lasting.until);
        }
    }

    /** A caller enters a lock that it holds, as far as the lock can tell. */
    static void reenters(SimulatedClient client, String name, boolean holds) {
        if (!holds) {
            throw new Violation("reservation", client + " enters '" + name + "' again, which it has released");
        }
    }
}
