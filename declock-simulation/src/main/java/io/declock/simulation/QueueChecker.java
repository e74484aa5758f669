// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.simulation;

import io.declock.Purpose;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.ResetClaim;
import io.declock.internal.protocol.CqlLock;
import io.declock.internal.protocol.PositionState;
import io.declock.simulation.RecordPositions.Position;
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
    private static final long RECORD_MASK = (1L << 40) - 1;
    private static final long[] RELEASES = {LockHeader.release(false), LockHeader.release(true)};
    private static final long[] ACQUIRES = {LockHeader.acquire(false), LockHeader.acquire(true)};

    private final SimulatedWorld world;
    private final Map<Long, RecordPositions> positions = new LinkedHashMap<>();
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
        RecordPositions queue = positions.computeIfAbsent(key, fresh -> new RecordPositions(record));
        if (LockHeader.epoch(before) != LockHeader.epoch(after)) {
            resetEnds(session, record, purpose, before, after, queue);
        } else if (LockHeader.isInReset(before) != LockHeader.isInReset(after)) {
            resetBegins(session, record, after);
        } else if (!LockHeader.isInReset(before)) {
            if (after - before == capacity * LockHeader.requeue(true, true)) {
                queue.moveOn(session, LockHeader.head(before), capacity);
            } else {
                positionsChange(session, record, before, after, queue);
            }
        }
        if (!LockHeader.isInReset(after)) {
            queue.checkHeader(after);
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
        Position own = queueOf(session, record).own(session);
        boolean ofOwn = own != null
                && own.index() % capacity == word - 2
                && QueueEntry.version(value) == own.index() / capacity;
        if (own != null
                && ofOwn
                && !LockHeader.isInReset(header)
                && own.index() - LockHeader.head(header) >= capacity) {
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
        RecordPositions queue = new RecordPositions(record);
        exclusiveBySession.forEach(queue::keep);
        world.note(
                () -> "record " + number(record) + " is restored as " + LockHeader.toString(header) + " with " + queue);
        if (LockHeader.isInReset(header) || LockHeader.head(header) != 0) {
            throw new Violation(
                    "header", "record " + number(record) + " was restored as " + LockHeader.toString(header));
        }
        queue.checkHeader(header);
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
        RecordPositions queue = positions.getOrDefault(key, new RecordPositions(record));
        queue.give(of, true);
        queue.checkHeader(after);
    }

    private void forget(long key) {
        positions.remove(key);
        claimants.remove(key);
        marked.remove(key);
        headers.remove(key);
        lives.remove(key);
    }

    private RecordPositions queueOf(SimulatedSession session, long record) {
        return positions.getOrDefault(session.life().keyOf(record), new RecordPositions(record));
    }

    private static long header(SimulatedSession session, long record) {
        return session.life().memory().peek(record);
    }

    private void positionsChange(
            SimulatedSession session, long record, long before, long after, RecordPositions queue) {
        long change = after - before;
        Position own = queue.own(session);
        for (int was = 0; was < 2; was++) {
            if (change == ACQUIRES[was]) {
                take(session, LockHeader.tail(before), was == 1, before, queue);
                return;
            }
            if (change == RELEASES[was]) {
                queue.give(session, was == 1);
                return;
            }
            for (int is = 0; is < 2; is++) {
                if (change == RELEASES[was] + ACQUIRES[is] && (own == null || own.isExclusive() == (was == 1))) {
                    queue.give(session, was == 1);
                    take(session, LockHeader.tail(before), is == 1, before + RELEASES[was], queue);
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
            queue.upgrade(own, LockHeader.head(before));
        } else {
            queue.downgrade(own);
        }
    }

    private void take(SimulatedSession session, int index, boolean exclusive, long before, RecordPositions queue) {
        queue.take(session, index, exclusive, LockHeader.grants(before, exclusive));
        acquisitions++;
    }

    /** Returns the session that took a position in that epoch, or null if it is no longer known. */
    @Nullable
    SimulatedSession takerOf(SimulatedSession asking, long record, long epoch, int index) {
        boolean current = LockHeader.epoch(header(asking, record)) == (int) (epoch & LockHeader.EPOCH_MASK);
        return current ? queueOf(asking, record).takerOf(index) : null;
    }

    /** Returns whether a session has a granted exclusive position before an index, and its release has not reached the memory node. */
    boolean holdsBefore(SimulatedSession session, long record, int index) {
        Position own = queueOf(session, record).own(session);
        return own != null && own.isExclusive() && own.isGranted() && own.index() < index;
    }

    /** Returns whether the slot of a session's position belongs to another waiter, so that it may have no entry. */
    boolean isWithoutSlot(SimulatedSession session, long record, long seenHeader) {
        Position own = queueOf(session, record).own(session);
        return own != null && own.index() - LockHeader.head(seenHeader) >= capacity;
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
            SimulatedSession session, long record, Purpose purpose, long before, long after, RecordPositions queue) {
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
        queue.beginAnew();
        MemoryNodeLife life = session.life();
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
            queue.keep(kept, true);
        }
        List<SimulatedSession> gone = goneSince(life, marked.getOrDefault(life.keyOf(record), 0L));
        gone.remove(kept);
        if (life.isForeign(record)) {
            // The name moves: a holder that has acknowledged may have taken its hold along.
            life.sessions().stream()
                    .filter(member -> queue.own(member) == null && !gone.contains(member))
                    .forEach(gone::add);
        }
        queue.keepDead(gone, after);
    }

    /** Returns the sessions that were cut, and those that their process closed while the memory node does not know of it yet. */
    private static List<SimulatedSession> goneSince(MemoryNodeLife life, long instant) {
        List<SimulatedSession> gone = new ArrayList<>(life.goneSince(instant));
        life.sessions().stream().filter(SimulatedSession::isClosed).forEach(gone::add);
        return gone;
    }

    private static void survives(SimulatedSession member, CqlLock remote, RecordPositions queue) {
        switch (remote.state()) {
            case HELD, PUT_OFF -> queue.keep(member, remote.isExclusive());
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
        RecordPositions queue = queueOf(session, remote.record());
        Position own = queue.own(session);
        if (own != null && (own.index() < 0 || own.index() == remote.index())) {
            // This also holds behind a broken clock, after the cut: the holder hands over the grant that it got, in
            // the queue's order.
            queue.grant(own);
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
            if (stuck
                    || !queue.all().stream()
                            .allMatch(position -> position.session().isCut() || isKept(position, key))) {
                throw new Violation(
                        "at rest",
                        "record " + number(key) + " is left as " + LockHeader.toString(header) + " with " + queue);
            }
        });
    }

    private static boolean isKept(Position position, long key) {
        AtomicBoolean kept = new AtomicBoolean();
        position.session().node().eachRemote((lock, remote) -> {
            if (remote.record() == (key & RECORD_MASK)
                    && SimulatedSession.of(remote) == position.session()
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
