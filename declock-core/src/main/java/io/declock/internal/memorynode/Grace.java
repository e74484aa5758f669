// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.MemberList.ListedMember;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time after a start with a complete {@link MemberList} in which the members of the former life move over with their holds (rules H2
 * and H5 of docs/protocol.md). No name is resolved until every listed member has moved or its lease has run out, so that nobody can take a
 * position. At the end the records of the restored holds are written, as a reset would write them: a new epoch, head 0, and one position for
 * each holder.
 *
 * <p>Thread-safe. Answers are given after the lock was released.
 */
final class Grace {
    /** Most resolutions that wait for the end. */
    static final int MOST_PARKED = 1 << 16;

    private static final Logger log = LoggerFactory.getLogger(Grace.class);

    private final NodeBasics node;
    private final HighWaterMark mark;
    private final MemberList list;
    private final Runnable whenOver;
    private final long startedAt;
    private final ReentrantLock lock = new ReentrantLock();

    /** The listed members that have not moved yet, by process. */
    @GuardedBy("lock")
    private final Map<Long, List<ListedMember>> awaited = new HashMap<>();

    @GuardedBy("lock")
    private final Claims claims;

    @GuardedBy("lock")
    private final Set<MemoryNodeSession> moved = new HashSet<>();

    @GuardedBy("lock")
    private final List<Runnable> parked = new ArrayList<>();

    @GuardedBy("lock")
    private final List<LongConsumer> waiting = new ArrayList<>();

    private volatile boolean over;
    private volatile long epoch;
    private volatile long lastedNanos;

    /** @param whenOver runs once, when names may be resolved */
    Grace(
            NodeBasics node,
            Directory directory,
            RecordAllocator allocator,
            HighWaterMark mark,
            MemberList list,
            Runnable whenOver) {
        this.node = node;
        this.claims = new Claims(node, directory, allocator, mark);
        this.mark = mark;
        this.list = list;
        this.whenOver = whenOver;
        this.startedAt = node.clock().nanoTime();
        if (list.former().complete()) {
            for (ListedMember member : list.former().members()) {
                awaited.computeIfAbsent(member.processId(), any -> new ArrayList<>())
                        .add(member);
            }
        }
    }

    /** Begins; ends at once if no member is awaited. */
    void begin() {
        long members;
        lock.lock();
        try {
            members = awaited.size();
        } finally {
            lock.unlock();
        }
        if (members > 0) {
            log.info(
                    "Memory node {} started again and waits for {} compute nodes of its former life, at most {} ms",
                    node.id(),
                    members,
                    left(startedAt).toMillis());
        }
        look();
    }

    /** Returns whether names may be resolved. */
    boolean isOver() {
        return over;
    }

    /** Returns how long it lasted, or has lasted so far, in nanoseconds. */
    long lastedNanos() {
        return over ? lastedNanos : node.clock().nanoTime() - startedAt;
    }

    /** Returns how long it lasts at most from now on. */
    Duration left(long now) {
        long most = 0;
        lock.lock();
        try {
            for (List<ListedMember> members : awaited.values()) {
                most = Math.max(most, last(members) - now);
            }
        } finally {
            lock.unlock();
        }
        return Duration.ofNanos(most);
    }

    /** Returns when the lease of a member of the former life has run out at the latest: that life answered no heartbeat after this one began. */
    long deadline(ListedMember member) {
        return startedAt + member.leaseNanos() + node.settings().leaseMargin().toNanos();
    }

    /** Returns the id that a process had in the former life, or 0. */
    int idOf(long processId) {
        lock.lock();
        try {
            List<ListedMember> members = awaited.get(processId);
            return members == null ? 0 : members.get(0).nodeId();
        } finally {
            lock.unlock();
        }
    }

    // ---------------------------------------------------------------- joining

    /** Refuses a process that would restore holds, if it was no member of the former life or its time is over. */
    void checkMayMove(JoinRequest request) throws FabricException.Refused {
        boolean mayMove;
        lock.lock();
        try {
            mayMove = !over && awaited.containsKey(request.processId());
        } finally {
            lock.unlock();
        }
        if (!mayMove || request.former().incarnation() == node.incarnation()) {
            throw new FabricException.Refused(
                    Reason.SESSION_OVER,
                    "memory node " + node.id() + " cannot restore the holds of this process: "
                            + (request.former().incarnation() == node.incarnation()
                                    ? "it has not started anew, and has ended the session"
                                    : "the process is not, or no longer, on its list of members"));
        }
    }

    /** Refuses a request to join that the process sent before it joined the former life: it would say that the process has no holds. */
    void checkAttempt(JoinRequest request) throws FabricException.Refused {
        boolean overtaken;
        lock.lock();
        try {
            overtaken = awaited.getOrDefault(request.processId(), List.of()).stream()
                    .anyMatch(member -> request.attempt() <= member.attempt());
        } finally {
            lock.unlock();
        }
        if (overtaken) {
            throw new FabricException.Refused(
                    Reason.NOT_YET, "a later request of this process to join memory node " + node.id() + " came first");
        }
    }

    /** A process of the former life joins without holds to restore. */
    void joinsWithoutHolds(long processId) {
        if (!over) {
            release(processId);
            look();
        }
    }

    private void release(long processId) {
        List<ListedMember> members;
        lock.lock();
        try {
            members = awaited.remove(processId);
        } finally {
            lock.unlock();
        }
        if (members != null) {
            members.forEach(member -> list.remove(member.nodeId(), member.incarnation()));
        }
    }

    // ---------------------------------------------------------------- holds

    /**
     * Restores a hold.
     *
     * @return the address of its record
     * @throws FabricException.Refused if it contradicts another, or comes too late
     */
    long restore(MemoryNodeSession session, byte[] name, boolean exclusive, long heldEpoch)
            throws FabricException.Refused {
        Claims.check(node, name, heldEpoch);
        lock.lock();
        try {
            checkMoves(session);
            return claims.add(session, name, exclusive, heldEpoch);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a session restores the holds of its process's session in the former life. */
    boolean isMoving(MemoryNodeSession session) {
        lock.lock();
        try {
            return awaited.containsKey(session.processId());
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void checkMoves(MemoryNodeSession session) throws FabricException.Refused {
        if (over || session.isCut() || !awaited.containsKey(session.processId())) {
            throw new FabricException.Refused(
                    Reason.SESSION_OVER,
                    "memory node " + node.id() + " restores no hold of compute node " + session.describe()
                            + " any more: its lease has run out, or it has said that it restored all");
        }
    }

    /** A process has restored all its holds; they count from now on. */
    void moved(MemoryNodeSession session) throws FabricException.Refused {
        boolean again;
        lock.lock();
        try {
            again = moved.contains(session);
            if (!again) {
                checkMoves(session);
                moved.add(session);
            }
        } finally {
            lock.unlock();
        }
        if (!again) {
            release(session.processId());
            look();
        }
    }

    // ---------------------------------------------------------------- waiting for the end

    /**
     * Has a resolution wait for the end.
     *
     * @param tooMany runs at once if too many wait already
     */
    void park(Runnable resolution, Runnable tooMany) {
        boolean now;
        boolean full = false;
        lock.lock();
        try {
            now = over;
            full = !now && parked.size() >= MOST_PARKED;
            if (!now && !full) {
                parked.add(resolution);
            }
        } finally {
            lock.unlock();
        }
        if (full) {
            tooMany.run();
        } else if (now) {
            resolution.run();
        }
    }

    /** Tells the epoch of the restored records when it is over, perhaps at once. */
    void await(LongConsumer told) {
        boolean now;
        lock.lock();
        try {
            now = over;
            if (!now) {
                waiting.add(told);
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            told.accept(epoch);
        }
    }

    // ---------------------------------------------------------------- the end

    /** Ends if no member is awaited any more; otherwise looks again when the next lease has run out. */
    private void look() {
        if (over || node.isClosed() || !node.isInTerm()) {
            return;
        }
        long now = node.clock().nanoTime();
        expire(now);
        Ending ending = null;
        long next = Long.MAX_VALUE;
        lock.lock();
        try {
            if (awaited.isEmpty()) {
                ending = end();
            } else {
                for (List<ListedMember> members : awaited.values()) {
                    next = Math.min(next, last(members) - now);
                }
            }
        } finally {
            lock.unlock();
        }
        if (ending != null) {
            ending.tell();
        } else if (next != Long.MAX_VALUE) {
            node.timer().schedule(Math.max(1, next), this::look);
        }
    }

    /** Forgets the members whose leases have run out; a process with several entries is awaited for the longest of them. */
    private void expire(long now) {
        List<Long> expired = new ArrayList<>();
        lock.lock();
        try {
            awaited.forEach((process, members) -> {
                if (last(members) - now <= 0) {
                    expired.add(process);
                }
            });
        } finally {
            lock.unlock();
        }
        expired.forEach(this::release);
    }

    private long last(List<ListedMember> members) {
        long last = deadline(members.get(0));
        for (ListedMember member : members) {
            last = Math.max(last, deadline(member));
        }
        return last;
    }

    @GuardedBy("lock")
    private @Nullable Ending end() {
        if (over) {
            return null;
        }
        // The former life may have raised its mark up to the second in which it ended.
        mark.raiseAbove(node.settings().secondsSince2025().getAsLong());
        epoch = mark.current();
        Set<MemoryNodeSession> counted = moved;
        int holds = claims.write(epoch, session -> counts(session, counted));
        lastedNanos = node.clock().nanoTime() - startedAt;
        over = true;
        Ending ending = new Ending(List.copyOf(parked), List.copyOf(waiting), holds, moved.size());
        parked.clear();
        waiting.clear();
        return ending;
    }

    /** Until a compute node has said that it moved, its holds rest on its former lease, which may have run out. */
    private static boolean counts(MemoryNodeSession session, Set<MemoryNodeSession> moved) {
        return moved.contains(session);
    }

    /** What follows the end, without the lock. */
    private final class Ending {
        private final List<Runnable> resolutions;
        private final List<LongConsumer> movers;
        private final int holds;
        private final int sessions;

        Ending(List<Runnable> resolutions, List<LongConsumer> movers, int holds, int sessions) {
            this.resolutions = resolutions;
            this.movers = movers;
            this.holds = holds;
            this.sessions = sessions;
        }

        void tell() {
            if (!list.former().members().isEmpty() && list.former().complete()) {
                log.info(
                        "Memory node {} serves again after {} ms: {} compute nodes have moved, {} holds were restored",
                        node.id(),
                        Duration.ofNanos(lastedNanos).toMillis(),
                        sessions,
                        holds);
            }
            movers.forEach(mover -> Isolated.run("Telling that names are served", () -> mover.accept(epoch)));
            resolutions.forEach(resolution -> Isolated.run("A resolution that waited", resolution));
            whenOver.run();
        }
    }
}
