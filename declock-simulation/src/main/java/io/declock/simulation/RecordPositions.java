// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.internal.layout.LockHeader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The positions in one record's queue and who has them, as follows from the FAAs in the order of their execution. */
final class RecordPositions {
    /** The index of a position that was kept over a reset. */
    private static final int KEPT = -1;

    private final long record;
    private final List<Position> queue = new ArrayList<>();
    /** By index, also of those that have been given back in this epoch. */
    private final Map<Integer, SimulatedSession> takers = new HashMap<>();

    /** A position of a compute node's session. */
    static final class Position {
        private final SimulatedSession session;
        private int index;
        private boolean exclusive;
        private boolean granted;

        private Position(SimulatedSession session, int index, boolean exclusive, boolean granted) {
            this.session = session;
            this.index = index;
            this.exclusive = exclusive;
            this.granted = granted;
        }

        SimulatedSession session() {
            return session;
        }

        int index() {
            return index;
        }

        boolean isExclusive() {
            return exclusive;
        }

        boolean isGranted() {
            return granted;
        }

        @Override
        public String toString() {
            return (exclusive ? "writer " : "reader ") + session + " at " + index + (granted ? " (granted)" : "");
        }
    }

    RecordPositions(long record) {
        this.record = record;
    }

    List<Position> all() {
        return queue;
    }

    @Nullable
    Position own(SimulatedSession session) {
        for (Position position : queue) {
            if (position.session == session) {
                return position;
            }
        }
        return null;
    }

    /** Returns the session that took a position in this epoch. */
    @Nullable
    SimulatedSession takerOf(int index) {
        return takers.get(index);
    }

    void take(SimulatedSession session, int index, boolean exclusive, boolean granted) {
        Position own = own(session);
        if (own != null) {
            throw new Violation(
                    "one position", session + " has two positions in record " + record + ": " + own + " and " + index);
        }
        queue.add(new Position(session, index, exclusive, granted));
        takers.put(index, session);
    }

    void give(@Nullable SimulatedSession session, boolean exclusive) {
        Position own = session == null ? null : own(session);
        if (own == null || own.exclusive != exclusive) {
            throw new Violation(
                    "one position",
                    session + " releases a position that it does not have, record " + record + ": " + own + " of "
                            + queue);
        }
        if (!own.granted) {
            throw new Violation(
                    "order", session + " releases a position that was never granted: " + own + " of " + queue);
        }
        queue.remove(own);
    }

    /** A position that is kept goes on to the next index of its slot, with nobody behind it (rule K6). */
    void moveOn(SimulatedSession session, int head, int capacity) {
        Position own = own(session);
        if (own == null || !own.exclusive || !own.granted || queue.size() != 1 || own.index != head && own.index >= 0) {
            throw new Violation("header", session + " moves record " + record + " on, whose positions are " + queue);
        }
        own.index = head + capacity;
        takers.put(own.index, session);
    }

    /** A holder that reads becomes the writer at the head. */
    void upgrade(Position own, int head) {
        own.index = head;
        own.exclusive = true;
    }

    /** A writer becomes a reader. */
    void downgrade(Position own) {
        own.exclusive = false;
    }

    /** A compute node holds the lock: no earlier position that excludes its own one waits. */
    void grant(Position own) {
        own.granted = true;
        for (Position other : queue) {
            if (!other.granted && other.index < own.index && (other.exclusive || own.exclusive)) {
                throw new Violation("order", own + " was granted before " + other + ", record " + record);
            }
        }
    }

    void checkHeader(long header) {
        if (LockHeader.size(header) != queue.size() || LockHeader.writers(header) != writers()) {
            throw new Violation("header", "record " + record + " {" + LockHeader.toString(header) + "} but " + queue);
        }
        if (LockHeader.tail(header) >= LockHeader.HEAD_RANGE) {
            throw new Violation("header", "record " + record + " ran out of its range: " + LockHeader.toString(header));
        }
    }

    private int writers() {
        int writers = 0;
        for (Position position : queue) {
            writers += position.exclusive ? 1 : 0;
        }
        return writers;
    }

    /** A reset ends: only positions that are kept from now on count. */
    void beginAnew() {
        queue.clear();
        takers.clear();
    }

    /** A session that holds the lock keeps its position in the new epoch. */
    void keep(SimulatedSession holder, boolean exclusive) {
        queue.add(new Position(holder, KEPT, exclusive, true));
    }

    /** Keeps holders that were cut after they had acknowledged: they stay in the header until the next reset. */
    void keepDead(List<SimulatedSession> cutMeanwhile, long header) {
        boolean writer = LockHeader.writers(header) > writers();
        for (SimulatedSession dead : cutMeanwhile) {
            if (queue.size() < LockHeader.size(header)) {
                keep(dead, writer);
                writer = false;
            }
        }
    }

    @Override
    public String toString() {
        return queue.toString();
    }
}
