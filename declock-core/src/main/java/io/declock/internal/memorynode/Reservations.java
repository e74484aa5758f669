// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.LockNames;
import io.declock.internal.layout.FencingToken;
import io.declock.internal.layout.LockHeader;
import io.declock.internal.layout.QueueEntry;
import io.declock.internal.layout.RecordLayout;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.Member;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The positions that stay taken for a while even if the session of their holder ends (rules R1 to R3 of docs/protocol.md). When it ends, the
 * {@link Trustee} has the position, in the same change of the membership, and gives it back when the reservation ends. Thread-safe.
 */
final class Reservations implements SessionTable.Heir, Trustee.Positions {
    private static final Logger log = LoggerFactory.getLogger(Reservations.class);

    private final NodeBasics node;
    private final Directory directory;
    private final SessionTable sessions;
    private final Trustee trustee;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Integer, Reservation> byRecord = new HashMap<>();

    /** A reservation of a record's position. Guarded by the lock. */
    private static final class Reservation {
        /** The record's name: a record that has another one by now is none of the reservation's business. */
        final byte[] name;
        /** The holder's session, or null once the trustee has the position. */
        @Nullable
        MemoryNodeSession holder;

        /** The session whose position the trustee has, or null. */
        @Nullable
        MemoryNodeSession former;

        long until;
        boolean givingBack;

        /** The index of the position when it was noted, and its full epoch. */
        int index;

        long epoch;

        Reservation(byte[] name, MemoryNodeSession holder, long until) {
            this.name = name;
            this.holder = holder;
            this.until = until;
        }

        void noted(int atIndex, long inEpoch) {
            index = atIndex;
            epoch = inEpoch;
        }

        /**
         * Returns whether the position can be there: somebody else's must not be given back, whatever became of the holder. After a reset only
         * that somebody has the lock exclusively tells.
         */
        boolean canBeThere(long present, RecordLayout layout) {
            boolean same = LockHeader.epoch(present) == (int) (epoch & LockHeader.EPOCH_MASK);
            return LockHeader.size(present) > 0 && LockHeader.writers(present) > 0 && (!same || isIn(present, layout));
        }

        /**
         * Returns whether the queue has the position. Positions before it that were granted the lock earlier may be given back yet; and its holder
         * may have moved it on to a later index of its slot (rule K6).
         */
        private boolean isIn(long present, RecordLayout layout) {
            int behindHead = index - LockHeader.head(present);
            return behindHead >= 0
                    ? behindHead < LockHeader.size(present)
                    : layout.slot(index) == layout.slot(LockHeader.head(present));
        }

        /** Returns the least fencing token of its hold. */
        long token() {
            return FencingToken.pack(epoch, index, 0);
        }
    }

    Reservations(NodeBasics node, Directory directory, SessionTable sessions) {
        this.node = node;
        this.directory = directory;
        this.sessions = sessions;
        this.trustee = new Trustee(node, sessions, this);
    }

    Trustee trustee() {
        return trustee;
    }

    /**
     * Reserves a position that a session holds exclusively, or ends its reservation.
     *
     * @param nanos how long from now, 0 to end it
     * @throws FabricException.Refused if the session is over, or another one's position is reserved
     */
    void reserve(MemoryNodeSession session, int record, long nanos) throws FabricException.Refused {
        if (nanos > 0) {
            trustee.join();
        }
        sessions.whileMember(session, () -> note(session, record, nanos));
    }

    /** The table's lock is held, so that the session cannot end meanwhile. */
    private void note(MemoryNodeSession session, int record, long nanos) throws FabricException.Refused {
        lock.lock();
        try {
            Reservation known = current(record);
            boolean own = known != null && known.holder == session;
            if (nanos <= 0) {
                if (own) {
                    byRecord.remove(record);
                }
                return;
            }
            long now = node.clock().nanoTime();
            byte[] name = directory.names().get(record);
            if (name == null || !session.known().contains(record)) {
                throw new FabricException.Refused(
                        Reason.BAD_REQUEST,
                        session.describe() + " cannot hold record " + record + " of memory node " + node.id()
                                + ", whose address it was not told");
            }
            if (known != null && !own && !known.givingBack && (known.holder == null || known.until - now > 0)) {
                throw new FabricException.Refused(
                        Reason.BAD_REQUEST,
                        "memory node " + node.id() + " has reserved " + describe(name) + " for another holder, so that "
                                + session.describe() + " cannot hold it");
            }
            Reservation noted = own && known != null ? known : new Reservation(name, session, now + nanos);
            noted.until = noted.until - (now + nanos) > 0 ? noted.until : now + nanos;
            long present = header(record);
            long epoch = LockHeader.fullEpoch(present, epoch(record));
            noted.noted(indexOf(session, record, present, epoch), epoch);
            byRecord.put(record, noted);
        } finally {
            lock.unlock();
        }
    }

    /** A session ends: its table's lock is held, and the members are changed after this (rule R2). */
    @Override
    public void ends(MemoryNodeSession session) {
        lock.lock();
        try {
            byRecord.entrySet().removeIf(entry -> {
                Reservation reservation = entry.getValue();
                if (reservation.holder != session) {
                    return false;
                }
                long left = reservation.until - node.clock().nanoTime();
                if (left <= 0) {
                    return true;
                }
                reservation.holder = null;
                reservation.former = session;
                session.left().add(entry.getKey());
                trustee.has(entry.getKey());
                node.timer().schedule(left, () -> giveBack(entry.getKey(), reservation));
                node.timer()
                        .schedule(
                                0,
                                () -> log.info(
                                        "{} stays taken for {} ms more, because {} had reserved it and has ended",
                                        describe(reservation.name),
                                        left / 1_000_000,
                                        session.describe()));
                return false;
            });
        } finally {
            lock.unlock();
        }
    }

    /** Returns the reservation of a record, unless the record belongs to another name by now. */
    @GuardedBy("lock")
    private @Nullable Reservation current(int record) {
        Reservation known = byRecord.get(record);
        if (known != null && directory.names().get(record) != known.name) {
            remove(record, known);
            return null;
        }
        return known;
    }

    @GuardedBy("lock")
    private void remove(int record, Reservation ended) {
        byRecord.remove(record);
        trustee.hasNoMore(record);
        MemoryNodeSession former = ended.former;
        if (former != null) {
            former.left().remove(record);
        }
    }

    /**
     * Returns the index of the position that a session holds exclusively: that of its queue entry, or the head if it needed none. A writer may
     * have granted it the lock before its own release is executed, so that the head is not there yet.
     */
    private int indexOf(MemoryNodeSession session, int record, long present, long epoch) {
        RecordLayout layout = node.layout();
        Member member = session.member();
        int head = LockHeader.head(present);
        int size = Math.min(LockHeader.size(present), layout.capacity());
        for (int index = head; index < head + size; index++) {
            long entry = node.region().read(layout.entry(node.region().recordAddress(record), index));
            if (QueueEntry.isValid(entry, layout.version(index), epoch)
                    && QueueEntry.isExclusive(entry)
                    && QueueEntry.nodeId(entry) == member.nodeId()
                    && QueueEntry.sameIncarnation(entry, member.incarnation())) {
                return index;
            }
        }
        return head;
    }

    private long header(int record) {
        return node.region().read(node.layout().header(node.region().recordAddress(record)));
    }

    private long epoch(int record) {
        return node.region().read(node.layout().epoch(node.region().recordAddress(record)));
    }

    @Override
    public Trustee.Claim claim(int record) {
        lock.lock();
        try {
            Reservation known = current(record);
            if (known == null || known.holder != null) {
                return Trustee.Claim.NONE;
            }
            return known.givingBack ? Trustee.Claim.UNKNOWN : Trustee.Claim.HELD;
        } finally {
            lock.unlock();
        }
    }

    /** The time of a reservation is over: the trustee gives the position back, once (rule R3). */
    private void giveBack(int record, Reservation reservation) {
        lock.lock();
        try {
            if (!Objects.equals(current(record), reservation) || reservation.givingBack) {
                return;
            }
            reservation.givingBack = true;
        } finally {
            lock.unlock();
        }
        trustee.giveBack(record);
    }

    @Override
    public boolean canHave(int record, long header) {
        lock.lock();
        try {
            Reservation known = current(record);
            if (known == null || known.canBeThere(header, node.layout())) {
                return true;
            }
            remove(record, known);
            log.error(
                    "{} was reserved for a holder that has left, but its position is not in the queue: it was given back before its"
                            + " reservation had ended. Report this as a defect, with this line",
                    describe(known.name));
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void gaveBack(int record, boolean done) {
        Reservation reservation;
        lock.lock();
        try {
            reservation = current(record);
            if (reservation == null || !reservation.givingBack) {
                return;
            }
            reservation.givingBack = false;
            if (done) {
                remove(record, reservation);
                return;
            }
        } finally {
            lock.unlock();
        }
        node.timer().schedule(Trustee.RETRY_NANOS, () -> giveBack(record, reservation));
    }

    /** Gives every position back that the trustee has, before its time. */
    void endTrust() {
        endTrust((record, token) -> true);
    }

    /** Gives the position of a record back, before its time, if the trustee has it and its hold is not younger than that token. */
    void endTrust(int record, long upTo) {
        endTrust((any, token) -> any == record && token <= upTo);
    }

    /** Chooses positions. */
    private interface Choice {
        boolean test(int record, long token);
    }

    private void endTrust(Choice which) {
        Map<Integer, Reservation> inTrust = new HashMap<>();
        lock.lock();
        try {
            byRecord.forEach((record, reservation) -> {
                if (reservation.holder == null && which.test(record, reservation.token())) {
                    inTrust.put(record, reservation);
                }
            });
        } finally {
            lock.unlock();
        }
        inTrust.forEach(this::giveBack);
    }

    /** Returns the fencing token of the hold whose position the trustee has, 0 if it does not have it. */
    long tokenInTrust(int record) {
        lock.lock();
        try {
            Reservation known = current(record);
            return known == null || known.holder != null ? 0 : known.token();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long the trustee has the position of a record yet, zero if it does not have it. */
    Duration inTrust(int record) {
        lock.lock();
        try {
            Reservation known = current(record);
            return known == null || known.holder != null
                    ? Duration.ZERO
                    : Duration.ofNanos(Math.max(1, known.until - node.clock().nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    private static String describe(byte @Nullable [] name) {
        return name == null ? "a lock" : "lock " + LockNames.quoted(new String(name, StandardCharsets.UTF_8));
    }
}
