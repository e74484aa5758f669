// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.ResetClaim;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.PositionState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Checks the remote queue, as the memory node sees it: the owner of each position follows from the FAAs in the order of their execution.
 * Each compute node has at most one position, the header agrees with the positions, resets keep exactly the holders, and the order is
 * FIFO: no position is granted while an earlier, conflicting one waits.
 */
final class QueueChecker implements WatchedRegion.Observer {
    private static final class Position {
        private final SimulatedSession session;
        private int index;
        private boolean exclusive;
        private boolean granted;

        Position(SimulatedSession session, int index, boolean exclusive, boolean granted) {
            this.session = session;
            this.index = index;
            this.exclusive = exclusive;
            this.granted = granted;
        }

        @Override
        public String toString() {
            return (exclusive ? "writer " : "reader ") + session + " at " + index + (granted ? " (granted)" : "");
        }
    }

    private static final long RECORD_MASK = (1L << 40) - 1;
    private static final long[] RELEASES = {LockHeader.release(false), LockHeader.release(true)};
    private static final long[] ACQUIRES = {LockHeader.acquire(false), LockHeader.acquire(true)};

    private final SimulatedWorld world;
    private final Map<Long, List<Position>> positions = new LinkedHashMap<>();
    private final Map<Long, Map<Integer, SimulatedSession>> takers = new HashMap<>();
    private final Map<CqlLock, long[]> observed = new IdentityHashMap<>();
    private final Map<Long, SimulatedSession> claimants = new HashMap<>();
    private final Map<Long, Long> marked = new HashMap<>();
    private final Map<Long, Long> headers = new HashMap<>();
    private final Map<Long, MemoryNodeLife> lives = new HashMap<>();
    private final int capacity;
    private long resets;
    private long acquisitions;

    QueueChecker(SimulatedWorld world, int capacity) {
        this.world = world;
        this.capacity = capacity;
    }

    long resets() {
        return resets;
    }

    long acquisitions() {
        return acquisitions;
    }

    // ---------------------------------------------------------------- at the memory node

    @Override
    public void headerChanged(SimulatedSession session, long record, Purpose purpose, long before, long after) {
        world.note(() -> "memory node: " + session + " " + purpose + " changes record " + number(record) + " from {"
                + LockHeader.toString(before) + "} to {" + LockHeader.toString(after) + "}");
        checkNotCut(session, record);
        long key = session.life().keyOf(record);
        lives.put(key, session.life());
        headers.put(key, after);
        List<Position> queue = positions.computeIfAbsent(key, fresh -> new ArrayList<>());
        if (LockHeader.epoch(before) != LockHeader.epoch(after)) {
            resetEnds(session, record, purpose, before, after, queue);
        } else if (LockHeader.isInReset(before) != LockHeader.isInReset(after)) {
            resetBegins(session, record, after);
        } else if (!LockHeader.isInReset(before)) {
            if (after - before == capacity * LockHeader.requeue(true, true)) {
                movesOn(session, record, before, queue);
            } else {
                positionsChange(session, record, before, after, queue);
            }
        }
        if (!LockHeader.isInReset(after)) {
            checkHeader(record, after, queue);
        }
    }

    @Override
    public void entryWritten(SimulatedSession session, long record, Purpose purpose, int word, long value) {
        checkNotCut(session, record);
        long header = header(session, record);
        if (purpose == Purpose.RESET) {
            if (!LockHeader.isInReset(header) || claimants.get(session.life().keyOf(record)) != session) {
                throw new Violation(
                        "reset", session + " clears record " + number(record) + " at " + LockHeader.toString(header));
            }
            return;
        }
        Position own = own(session, queueOf(session, record));
        boolean ofOwn =
                own != null && own.index % capacity == word - 2 && QueueEntry.version(value) == own.index / capacity;
        if (own != null && ofOwn && !LockHeader.isInReset(header) && own.index - LockHeader.head(header) >= capacity) {
            throw new Violation("overflow", session + " wrote an entry into the slot of another waiter, " + own);
        }
    }

    /** A claim of the present epoch passes on only from a session that can change nothing any more. */
    @Override
    public void claimChanged(SimulatedSession session, long record, long before, long after) {
        world.note(() -> "memory node: " + session + " changes the claim of record " + number(record) + " from {"
                + ResetClaim.toString(before) + "} to {" + ResetClaim.toString(after) + "}");
        checkNotCut(session, record);
        long key = session.life().keyOf(record);
        SimulatedSession previous = after == ResetClaim.NONE ? claimants.remove(key) : claimants.put(key, session);
        boolean present =
                (ResetClaim.epoch(before) & LockHeader.EPOCH_MASK) == LockHeader.epoch(header(session, record));
        if (present && previous != null && previous != session && !previous.isGone()) {
            throw new Violation(
                    "reset", session + " takes over the claim of " + previous + " in record " + number(record));
        }
    }

    private static void checkNotCut(SimulatedSession session, long record) {
        if (session.isBeyondCut()) {
            throw new Violation("data plane", session + " was cut and changes record " + number(record));
        }
    }

    @Override
    public void erased(MemoryNodeLife life) {
        List.copyOf(lives.keySet()).stream()
                .filter(key -> lives.get(key) == life)
                .forEach(this::forget);
    }

    /** A record that was reclaimed and initialised again begins with an empty queue. */
    @Override
    public void resolved(MemoryNodeLife life, long record) {
        long key = life.keyOf(record);
        if (headers.containsKey(key) && headers.get(key) != life.memory().peek(record)) {
            world.note(() -> "record " + number(record) + " has become another name's");
            forget(key);
        }
    }

    /** The record is as after a reset that every holder survived (rule H5). */
    @Override
    public void restored(MemoryNodeLife life, long record, Map<SimulatedSession, Boolean> exclusiveBySession) {
        long key = life.keyOf(record);
        long header = life.memory().peek(record);
        List<Position> queue = new ArrayList<>();
        exclusiveBySession.forEach((session, exclusive) -> queue.add(new Position(session, -1, exclusive, true)));
        world.note(
                () -> "record " + number(record) + " is restored as " + LockHeader.toString(header) + " with " + queue);
        if (LockHeader.isInReset(header) || LockHeader.head(header) != 0) {
            throw new Violation(
                    "header", "record " + number(record) + " was restored as " + LockHeader.toString(header));
        }
        checkHeader(record, header, queue);
        lives.put(key, life);
        headers.put(key, header);
        positions.put(key, queue);
    }

    /** The memory node gives back the exclusive position of a session that has ended, at the head of the queue (rule R3). */
    @Override
    public void givenBack(MemoryNodeLife life, long record, @Nullable SimulatedSession of, long before, long after) {
        world.note(() -> life.place() + " gives the position of " + of + " in record " + number(record) + " back: {"
                + LockHeader.toString(before) + "} becomes {" + LockHeader.toString(after) + "}");
        if (of == null || LockHeader.isInReset(before) || after - before != RELEASES[1]) {
            throw new Violation(
                    "reservation",
                    "record " + number(record) + " of " + of + " is given back at " + LockHeader.toString(before));
        }
        long key = life.keyOf(record);
        headers.put(key, after);
        List<Position> queue = positions.getOrDefault(key, new ArrayList<>());
        give(of, record, true, queue);
        checkHeader(record, after, queue);
    }

    private void forget(long key) {
        positions.remove(key);
        takers.remove(key);
        claimants.remove(key);
        marked.remove(key);
        headers.remove(key);
        lives.remove(key);
    }

    private List<Position> queueOf(SimulatedSession session, long record) {
        return positions.getOrDefault(session.life().keyOf(record), List.of());
    }

    private static long header(SimulatedSession session, long record) {
        return session.life().memory().peek(record);
    }

    /** A position that is kept goes on to the next index of its slot, with nobody behind it (rule K6). */
    private void movesOn(SimulatedSession session, long record, long before, List<Position> queue) {
        Position own = own(session, queue);
        if (own == null
                || !own.exclusive
                || !own.granted
                || queue.size() != 1
                || own.index != LockHeader.head(before) && own.index >= 0) {
            throw new Violation(
                    "header", session + " moves record " + number(record) + " on, whose positions are " + queue);
        }
        own.index = LockHeader.head(before) + capacity;
        takers.computeIfAbsent(session.life().keyOf(record), fresh -> new HashMap<>())
                .put(own.index, session);
    }

    private void positionsChange(SimulatedSession session, long record, long before, long after, List<Position> queue) {
        long change = after - before;
        Position own = own(session, queue);
        for (int was = 0; was < 2; was++) {
            if (change == ACQUIRES[was]) {
                take(session, record, LockHeader.tail(before), was == 1, before, queue);
                return;
            }
            if (change == RELEASES[was]) {
                give(session, record, was == 1, queue);
                return;
            }
            for (int is = 0; is < 2; is++) {
                if (change == RELEASES[was] + ACQUIRES[is] && (own == null || own.exclusive == (was == 1))) {
                    give(session, record, was == 1, queue);
                    take(session, record, LockHeader.tail(before), is == 1, before + RELEASES[was], queue);
                    return;
                }
            }
        }
        if (own == null || Math.abs(change) != -LockHeader.downgrade()) {
            throw new Violation(
                    "header",
                    session + " changed record " + number(record) + " in a way that the protocol does not know: "
                            + LockHeader.toString(before) + " to " + LockHeader.toString(after));
        }
        if (change > 0) {
            own.index = LockHeader.head(before);
        }
        own.exclusive = change > 0;
    }

    private void take(
            SimulatedSession session, long record, int index, boolean exclusive, long before, List<Position> queue) {
        Position own = own(session, queue);
        if (own != null) {
            throw new Violation(
                    "one position",
                    session + " has two positions in record " + number(record) + ": " + own + " and " + index);
        }
        acquisitions++;
        Position taken = new Position(session, index, exclusive, LockHeader.grants(before, exclusive));
        queue.add(taken);
        takers.computeIfAbsent(session.life().keyOf(record), fresh -> new HashMap<>())
                .put(index, session);
    }

    /** Returns the session that took a position in that epoch, or null if it is no longer known. */
    @Nullable
    SimulatedSession takerOf(SimulatedSession asking, long record, long epoch, int index) {
        boolean current = LockHeader.epoch(header(asking, record)) == (int) (epoch & LockHeader.EPOCH_MASK);
        return current
                ? takers.getOrDefault(asking.life().keyOf(record), Map.of()).get(index)
                : null;
    }

    /** Returns whether a session has a granted exclusive position before an index, and its release has not reached the memory node. */
    boolean holdsBefore(SimulatedSession session, long record, int index) {
        Position own = own(session, queueOf(session, record));
        return own != null && own.exclusive && own.granted && own.index < index;
    }

    /** Returns whether the slot of a session's position belongs to another waiter, so that it may have no entry. */
    boolean isWithoutSlot(SimulatedSession session, long record, long seenHeader) {
        Position own = own(session, queueOf(session, record));
        return own != null && own.index - LockHeader.head(seenHeader) >= capacity;
    }

    private static void give(SimulatedSession session, long record, boolean exclusive, List<Position> queue) {
        Position own = own(session, queue);
        if (own == null || own.exclusive != exclusive) {
            throw new Violation(
                    "one position",
                    session + " releases a position that it does not have, record " + number(record) + ": " + own
                            + " of " + queue);
        }
        if (!own.granted) {
            throw new Violation(
                    "order", session + " releases a position that was never granted: " + own + " of " + queue);
        }
        queue.remove(own);
    }

    private static @Nullable Position own(SimulatedSession session, List<Position> queue) {
        for (Position position : queue) {
            if (position.session == session) {
                return position;
            }
        }
        return null;
    }

    private static void checkHeader(long record, long header, List<Position> queue) {
        int writers = 0;
        for (Position position : queue) {
            writers += position.exclusive ? 1 : 0;
        }
        if (LockHeader.size(header) != queue.size() || LockHeader.writers(header) != writers) {
            throw new Violation(
                    "header", "record " + number(record) + " {" + LockHeader.toString(header) + "} but " + queue);
        }
        if (LockHeader.tail(header) >= LockHeader.HEAD_RANGE) {
            throw new Violation(
                    "header", "record " + number(record) + " ran out of its range: " + LockHeader.toString(header));
        }
    }

    // ---------------------------------------------------------------- resets

    private void resetBegins(SimulatedSession session, long record, long after) {
        long key = session.life().keyOf(record);
        marked.put(key, world.now());
        if (!LockHeader.isInReset(after) || claimants.get(key) != session) {
            throw new Violation(
                    "reset",
                    session + " changes record " + number(record) + " to " + LockHeader.toString(after)
                            + " and the claim is that of " + claimants.get(key));
        }
    }

    private void resetEnds(
            SimulatedSession session, long record, Purpose purpose, long before, long after, List<Position> queue) {
        resets++;
        boolean proper = purpose == Purpose.RESET
                && LockHeader.isInReset(before)
                && claimants.get(session.life().keyOf(record)) == session
                && !LockHeader.isInReset(after)
                && LockHeader.epoch(after) == (LockHeader.epoch(before) + 1 & LockHeader.EPOCH_MASK);
        if (!proper) {
            throw new Violation(
                    "reset",
                    session + " ended a reset that is not its own: " + LockHeader.toString(before) + " to "
                            + LockHeader.toString(after));
        }
        queue.clear();
        MemoryNodeLife life = session.life();
        takers.remove(life.keyOf(record));
        for (SimulatedSession member : life.sessions()) {
            member.node().eachRemote((lock, remote) -> {
                // The record of a session that is cut may have become another name's since.
                boolean isOver = isOf(remote, after) || member.isCut() && !isOf(remote, before);
                if (remote.record() == record && SimulatedSession.of(remote) == member && !isOver) {
                    survives(member, remote, queue);
                }
            });
        }
        SimulatedSession kept = life.inTrust().inTrustFor(record);
        if (kept != null) {
            queue.add(new Position(kept, -1, true, true));
        }
        List<SimulatedSession> gone = goneSince(life, marked.getOrDefault(life.keyOf(record), 0L));
        gone.remove(kept);
        if (life.isForeign(record)) {
            // The name moves: a holder that has acknowledged may have taken its hold along.
            life.sessions().stream()
                    .filter(member -> own(member, queue) == null && !gone.contains(member))
                    .forEach(gone::add);
        }
        keepDeadSurvivors(gone, after, queue);
    }

    /** Returns the sessions that were cut, and those that their process closed while the memory node does not know of it yet. */
    private static List<SimulatedSession> goneSince(MemoryNodeLife life, long instant) {
        List<SimulatedSession> gone = new ArrayList<>(life.goneSince(instant));
        life.sessions().stream().filter(SimulatedSession::isClosed).forEach(gone::add);
        return gone;
    }

    /** Keeps holders that were cut after they had acknowledged: they stay in the header until the next reset. */
    private static void keepDeadSurvivors(List<SimulatedSession> cutMeanwhile, long after, List<Position> queue) {
        int writers = 0;
        for (Position position : queue) {
            writers += position.exclusive ? 1 : 0;
        }
        boolean writer = LockHeader.writers(after) > writers;
        for (SimulatedSession dead : cutMeanwhile) {
            if (queue.size() < LockHeader.size(after)) {
                queue.add(new Position(dead, -1, writer, true));
                writer = false;
            }
        }
    }

    private static void survives(SimulatedSession member, CqlLock remote, List<Position> queue) {
        switch (remote.state()) {
            case HELD, PUT_OFF -> queue.add(new Position(member, -1, remote.isExclusive(), true));
            case WAITING, LEAVING -> throw new Violation("reset", "ended while " + member + " was still " + remote);
            default -> {}
        }
    }

    private static boolean isOf(CqlLock remote, long header) {
        return (remote.epoch() & LockHeader.EPOCH_MASK) == LockHeader.epoch(header);
    }

    // ---------------------------------------------------------------- at the compute nodes

    /** Checks the state of a compute node after an event. */
    void observe(SimulatedComputeNode node) {
        node.eachRemote((lock, remote) -> {
            boolean granted = switch (remote.state()) {
                case HELD, LEAVING, REQUEUING, PUT_OFF -> !isRestored(remote);
                default -> false;
            };
            long[] last = observed.computeIfAbsent(remote, fresh -> new long[] {-1, -1});
            if (granted && (last[0] != remote.epoch() || last[1] != remote.index())) {
                last[0] = remote.epoch();
                last[1] = remote.index();
                granted(remote);
            } else if (!granted) {
                last[1] = -1;
            }
        });
    }

    /** Returns whether the hold was restored, and its compute node waits for the record's epoch. */
    private static boolean isRestored(CqlLock remote) {
        SimulatedSession session = SimulatedSession.of(remote);
        return session != null && remote.isFrozen() && session.life().holds().isRestored(remote.record(), session);
    }

    private void granted(CqlLock remote) {
        SimulatedSession session = SimulatedSession.of(remote);
        if (session == null) {
            return;
        }
        // A session that was cut may learn of a reset or of the loss of the memory too late, or never.
        if (!session.isCut()) {
            checkEpoch(session, remote);
        }
        List<Position> queue = queueOf(session, remote.record());
        Position own = own(session, queue);
        if (own == null || own.index >= 0 && own.index != remote.index()) {
            return;
        }
        // This also holds behind a broken clock, after the cut: the holder hands over the grant that it got, in the
        // queue's order.
        own.granted = true;
        for (Position other : queue) {
            if (!other.granted && other.index < own.index && (other.exclusive || own.exclusive)) {
                throw new Violation(
                        "order", own + " was granted before " + other + ", record " + number(remote.record()));
            }
        }
    }

    private void checkEpoch(SimulatedSession session, CqlLock remote) {
        long header = header(session, remote.record());
        if (!isOf(remote, header)) {
            throw new Violation(
                    "epoch",
                    session + " was granted " + remote + " but the record is at " + LockHeader.toString(header));
        }
    }

    /** Checks the state at the end, when no caller wants a lock: only compute nodes that were cut may have left positions. */
    void checkAtRest() {
        positions.forEach((key, queue) -> {
            SimulatedSession claimant = claimants.get(key);
            long header = headers.getOrDefault(key, 0L);
            MemoryNodeLife life = lives.get(key);
            if (life != null && life.isForeign(key & RECORD_MASK)) {
                // Its name has moved, and what was left here is nobody's.
                return;
            }
            boolean stuck = LockHeader.isInReset(header) && (claimant == null || !claimant.isCut());
            if (stuck || !queue.stream().allMatch(position -> position.session.isCut() || isKept(position, key))) {
                throw new Violation(
                        "at rest",
                        "record " + number(key) + " is left as " + LockHeader.toString(header) + " with " + queue);
            }
        });
    }

    private static boolean isKept(Position position, long key) {
        AtomicBoolean kept = new AtomicBoolean();
        position.session.node().eachRemote((lock, remote) -> {
            if (remote.record() == (key & RECORD_MASK)
                    && SimulatedSession.of(remote) == position.session
                    && remote.state() == PositionState.HELD
                    && remote.isKept()) {
                kept.set(true);
            }
        });
        return kept.get();
    }

    private static String number(long record) {
        return Long.toString(record);
    }
}
