// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.FairnessPolicy;
import io.declock.LocalSettings;
import io.declock.internal.layout.Timestamp;
import io.declock.internal.local.HeldLock;
import io.declock.internal.local.LocalWaiter;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.PositionState;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks how far callers of one compute node pass another node's position that was in the queue before they came: by a bounded number of
 * grants as long as the holder does not know of it, and within the same bounds of number and time once it does. It uses the simulated world's
 * time, not the nodes' clocks, and covers callers that queued before their node was granted. A phase-fair lock lets readers pass, so it is not checked.
 */
final class OvertakingChecker {
    /** The protocol assumes that clocks are known no better than six units; the seventh covers rounding. */
    private static final long TOLERANCE = 7 * Timestamp.UNIT_NANOS;

    private static final class Seen {
        private final SimulatedComputeNode node;
        private final String name;
        private boolean waiting;
        private long epoch = -1;
        private int index = -1;
        private boolean exclusive;
        private long waitsSince;
        private long knowsSince = -1;
        private int passed;
        private int passedKnown;
        /** Since when callers are granted the lock that came after a waiter, while the entry is marked. */
        private long passesSince = -1;

        Seen(SimulatedComputeNode node, String name) {
            this.node = node;
            this.name = name;
        }

        /** Returns whether a holder may pass a waiter that it knows: as often, and for as long after it got the lock, as one that it does not know. */
        boolean mayPassKnown(long now, LocalSettings settings) {
            return exclusive
                    && ++passedKnown <= settings.localHandOverLimit()
                    && now - waitsSince <= settings.localHandOverTime().toNanos() + TOLERANCE;
        }

        /** Returns whether a holder whose entry is marked may pass an unknown waiter: for as long as without a look. */
        boolean mayPass(long now, LocalSettings settings) {
            passesSince = passesSince < 0 ? now : passesSince;
            return now - passesSince <= settings.localHandOverTime().toNanos() + TOLERANCE;
        }

        boolean isAt(CqlLock remote) {
            return epoch == remote.epoch() && index == remote.index() && exclusive == remote.isExclusive();
        }
    }

    private final SimulatedWorld world;
    private final LocalSettings settings;
    private final boolean active;
    private final Map<CqlLock, Seen> positions = new IdentityHashMap<>();
    private final Map<LocalWaiter, Long> came = new IdentityHashMap<>();

    OvertakingChecker(SimulatedWorld world, SimulationOptions options) {
        this.world = world;
        this.settings = options.local();
        // The instants when a caller came and when its node knew come from one clock, which may be wrong but must not
        // jump.
        this.active = settings.policy() == FairnessPolicy.TASK_FAIR
                && options.outages().jumps() == 0;
    }

    /** Observes a compute node after an event. */
    void observe(SimulatedComputeNode node) {
        node.eachRemote((lock, remote) -> {
            Seen seen = positions.computeIfAbsent(remote, fresh -> new Seen(node, lock.name()));
            boolean waiting = remote.state() == PositionState.WAITING;
            if (!seen.isAt(remote) || waiting != seen.waiting) {
                seen.epoch = remote.epoch();
                seen.index = remote.index();
                seen.exclusive = remote.isExclusive();
                seen.waiting = waiting;
                seen.waitsSince = world.now();
                seen.knowsSince = -1;
                seen.passed = 0;
                seen.passedKnown = 0;
                seen.passesSince = -1;
            }
            boolean knows =
                    remote.state() == PositionState.HELD && remote.tenure().knowsRemote();
            seen.knowsSince = !knows ? -1 : seen.knowsSince < 0 ? world.now() : seen.knowsSince;
        });
        positions.keySet().removeIf(remote -> remote.state() == PositionState.DEAD);
    }

    private void noteKnowledge(Seen seen, CqlLock remote) {
        boolean knows = remote.state() == PositionState.HELD && remote.tenure().knowsRemote();
        seen.knowsSince = !knows ? -1 : seen.knowsSince < 0 ? world.now() : seen.knowsSince;
    }

    /** A caller asks for the lock. */
    void comes(LocalWaiter waiter) {
        came.put(waiter, world.now());
    }

    /** A caller is no longer waiting and was not granted. */
    void goes(LocalWaiter waiter) {
        came.remove(waiter);
    }

    /** A caller is granted, not by reentry. */
    void granted(SimulatedComputeNode node, LocalWaiter waiter) {
        Long since = came.remove(waiter);
        CqlLock remote = HeldLock.remote(waiter.hold());
        Seen own = remote == null ? null : positions.get(remote);
        if (since == null
                || remote == null
                || own == null
                || !own.isAt(remote)
                || remote.state() != PositionState.HELD
                || node.isClockBroken()
                || !active) {
            return;
        }
        Seen first = passed(own, since);
        if (first == null) {
            return;
        }
        noteKnowledge(own, remote);
        if (own.knowsSince >= 0 && since - own.knowsSince > TOLERANCE && !own.mayPassKnown(world.now(), settings)) {
            throw new Violation(
                    "overtaking",
                    node + " granted '" + own.name + "' to a caller that came after it knew that " + first.node
                            + " waits, " + (world.now() - own.waitsSince) + " ns and " + own.passedKnown
                            + " such grants after it got the lock");
        }
        if (own.knowsSince < 0 && remote.tenure().isMarked() && own.mayPass(world.now(), settings)) {
            // The waiter's message may be under way.
            return;
        }
        if (own.knowsSince < 0 && ++own.passed > settings.localHandOverLimit() + 1) {
            throw new Violation(
                    "overtaking",
                    node + " granted '" + own.name + "' to " + own.passed + " callers that came after " + first.node
                            + " waited");
        }
    }

    /** Returns a position that waits behind the holder's and clearly existed before a caller came. */
    private @Nullable Seen passed(Seen own, long since) {
        for (Map.Entry<CqlLock, Seen> entry : positions.entrySet()) {
            Seen other = entry.getValue();
            if (other.waiting
                    && other.isAt(entry.getKey())
                    && entry.getKey().state() == PositionState.WAITING
                    && other.name.equals(own.name)
                    && other.epoch == own.epoch
                    && other.index > own.index
                    && (other.exclusive || own.exclusive)
                    && other.node.isAlive()
                    && since - other.waitsSince > TOLERANCE) {
                return other;
            }
        }
        return null;
    }
}
