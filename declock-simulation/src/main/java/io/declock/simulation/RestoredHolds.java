// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The holds that sessions have restored in one life of a memory node, in its grace or in names that it takes over from another memory node.
 * It tells which of them count as soon as the memory node has written their records.
 */
final class RestoredHolds {
    /** Is told of the holds with which the memory node has written a record. */
    interface Written {
        void written(long record, Map<SimulatedSession, Boolean> exclusiveBySession);
    }

    private final SimulatedWorld world;
    private final Supplier<NodeListState> list;
    private final Written written;
    /** The sessions that have restored a hold in the grace, by record, and whether it is exclusive. */
    private final Map<Long, Map<SimulatedSession, Boolean>> inGrace = new LinkedHashMap<>();
    /** The sessions that have restored a hold in a name that this memory node takes over, by record, and whether it is exclusive. */
    private final Map<Long, Map<SimulatedSession, Boolean>> taken = new LinkedHashMap<>();
    /** The memory nodes that the names of holds in {@link #taken} come from, by record. */
    private final Map<Long, String> sources = new HashMap<>();

    private final Set<SimulatedSession> moved = new HashSet<>();
    private boolean graceIsOver;

    /**
     * Makes one without holds.
     *
     * @param list says how far the memory node is with the list of memory nodes
     */
    RestoredHolds(SimulatedWorld world, Supplier<NodeListState> list, Written written) {
        this.world = world;
        this.list = list;
        this.written = written;
    }

    /** A session has restored a hold. */
    void restored(SimulatedSession session, String name, long record, boolean exclusive) {
        String source = awaitedFor(name);
        if (source != null) {
            world.note(() -> session + " restores its hold of '" + name + "' in record " + record + ", from " + source);
            if (sources.put(record, source) == null) {
                taken.remove(record);
            }
            taken.computeIfAbsent(record, fresh -> new LinkedHashMap<>()).put(session, exclusive);
            return;
        }
        world.note(() -> session + " restores its hold in record " + record);
        inGrace.computeIfAbsent(record, fresh -> new LinkedHashMap<>()).put(session, exclusive);
    }

    private @Nullable String awaitedFor(String name) {
        NodeListState state = list.get();
        for (String source : state.awaited()) {
            if (NodeSet.hash(source) == state.list().former().homeOf(NodeSet.hash(name))) {
                return source;
            }
        }
        return null;
    }

    /** A record has passed to another name: what was restored in it for a name of another memory node is not that name's. */
    void passesOn(long record) {
        taken.remove(record);
    }

    /** A session says that it has restored every hold. */
    void moves(SimulatedSession session) {
        world.note(() -> session + " has moved");
        moved.add(session);
    }

    /** The memory node refused that. */
    void hasNotMoved(SimulatedSession session) {
        world.note(() -> session + " came too late");
        moved.remove(session);
    }

    /** The memory node has taken over the names of another one, perhaps some time ago. */
    void takesOver(String source) {
        if (list.get().awaited().contains(source)) {
            // The word was about an earlier list.
            return;
        }
        List.copyOf(sources.keySet()).forEach(record -> {
            if (source.equals(sources.get(record))) {
                sources.remove(record);
                tell(record, taken.getOrDefault(record, Map.of()), session -> isOver(record, session));
            }
        });
    }

    /** The memory node has written the records of the holds that were restored in its grace. */
    void graceIsOver() {
        if (graceIsOver) {
            return;
        }
        graceIsOver = true;
        inGrace.forEach(
                (record, holds) -> tell(record, holds, session -> isOver(record, session) || !moved.contains(session)));
    }

    /** Returns whether a hold is over with its session, and the memory node does not keep it. */
    private static boolean isOver(long record, SimulatedSession session) {
        return session.isGone() && session.life().inTrust().inTrustFor(record) != session;
    }

    private void tell(long record, Map<SimulatedSession, Boolean> holds, Predicate<SimulatedSession> leftOut) {
        Map<SimulatedSession, Boolean> counted = new LinkedHashMap<>(holds);
        counted.keySet().removeIf(leftOut);
        written.written(record, counted);
    }

    /** Returns whether a session has restored a hold in a record. */
    boolean isRestored(long record, SimulatedSession session) {
        return inGrace.getOrDefault(record, Map.of()).containsKey(session)
                || taken.getOrDefault(record, Map.of()).containsKey(session);
    }
}
