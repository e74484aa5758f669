// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import io.declock.internal.layout.LockHeader;
import io.declock.spi.FabricException;
import io.declock.spi.Membership;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import org.jspecify.annotations.Nullable;

/**
 * The member that a memory node is itself, to have the positions of {@link Reservations} whose holders have ended. Like every user of a record it answers
 * whether it holds the lock, and acknowledges resets (rule R2); it never waits for a lock. Joins with the first reservation. Thread-safe.
 */
final class Trustee implements SessionListener {
    /** How long it waits for the end of a reset before it tries again to give a position back. */
    static final long RETRY_NANOS = 10_000_000;

    /** What an acknowledgement of a reset says of an exclusive hold. */
    private static final long EXCLUSIVE = 2;

    /** State of a position, as the trustee claims it. */
    enum Claim {
        /** The trustee does not have it. */
        NONE,
        /** The trustee holds it. */
        HELD,
        /** The trustee is giving it back, and cannot tell whether it has it. */
        UNKNOWN
    }

    /** The positions that it has. */
    interface Positions {
        /** Returns what it claims of a record. */
        Claim claim(int record);

        /** Returns whether the position can be in a queue with this header; if not, it has none there any more. */
        boolean canHave(int record, long header);

        /** It has given the position back, or has to wait for a reset that counts it. */
        void gaveBack(int record, boolean done);
    }

    private final NodeBasics node;
    private final SessionTable sessions;
    private final Positions positions;
    private volatile @Nullable MemoryNodeSession session;
    private volatile HeaderAccess headers;

    Trustee(NodeBasics node, SessionTable sessions, Positions positions) {
        this.node = node;
        this.sessions = sessions;
        this.positions = positions;
        this.headers = new HeaderAccess.Here(node.region());
    }

    /** Has an adapter execute its verbs, as it executes those of the compute nodes. */
    void use(HeaderAccess access) {
        headers = access;
    }

    /**
     * Becomes a member, unless it is one.
     *
     * @throws FabricException.Refused if there is no node id for it
     */
    void join() throws FabricException.Refused {
        if (session == null) {
            session = sessions.joinTrustee(this);
        }
    }

    /** It has the position of a record from the next change of the membership on. */
    void has(int record) {
        MemoryNodeSession joined = session;
        if (joined != null) {
            joined.known().add(record);
        }
    }

    void hasNoMore(int record) {
        MemoryNodeSession joined = session;
        if (joined != null) {
            joined.known().remove(record);
        }
    }

    // ---------------------------------------------------------------- answers

    @Override
    public void peerMessage(PeerMessage message) {
        int record = node.region().recordIndex(message.record());
        MemoryNodeSession joined = session;
        if (record < 0 || joined == null || node.isClosed() || !node.isInTerm()) {
            return;
        }
        Claim claim = positions.claim(record);
        // Without an answer the question comes again.
        if (claim == Claim.UNKNOWN) {
            return;
        }
        boolean holds = claim == Claim.HELD;
        switch (message.kind()) {
            case HOLD_QUESTION ->
                answer(
                        joined,
                        message,
                        PeerMessage.Kind.HOLD_ANSWER,
                        holds ? PeerMessage.HOLDS : PeerMessage.NO_POSITION,
                        message.detail());
            case RESET_SIGNAL ->
                answer(joined, message, PeerMessage.Kind.RESET_ACK, message.index(), holds ? EXCLUSIVE : 0);
            default -> {
                // It waits for no grant, and the end of a reset changes nothing for it.
            }
        }
    }

    private static void answer(MemoryNodeSession self, PeerMessage to, PeerMessage.Kind kind, int index, long detail) {
        self.relay(new PeerMessage(
                kind,
                to.memoryNode(),
                self.member().nodeId(),
                self.member().incarnation(),
                to.fromNode(),
                to.fromIncarnation(),
                to.record(),
                to.epoch(),
                index,
                detail));
    }

    // ---------------------------------------------------------------- giving back

    /**
     * Gives the exclusive position at the head of a record's queue back, by CAS: an FAA during a reset would be overwritten by the reset's end, which
     * counts this hold (rule R3). The next waiter finds its grant by its self-check.
     */
    void giveBack(int record) {
        if (node.isClosed() || !node.isInTerm()) {
            return;
        }
        long address = node.layout().header(node.region().recordAddress(record));
        headers.read(address, header -> swap(record, address, header), () -> positions.gaveBack(record, false));
    }

    /** A record of a restored hold is written once more, with this hold. */
    private boolean mustWait(int record, long header) {
        return LockHeader.isInReset(header) || node.unwritten().contains(record);
    }

    private void swap(int record, long address, long header) {
        if (mustWait(record, header)) {
            positions.gaveBack(record, false);
        } else if (positions.canHave(record, header)) {
            headers.swap(
                    address, header, header + LockHeader.release(true), swapped -> positions.gaveBack(record, swapped));
        }
    }

    // ---------------------------------------------------------------- what it does not need

    @Override
    public void membershipChanged(Membership membership) {}

    @Override
    public void reclaimProposed(long round, long[] records) {}

    @Override
    public void lost(FabricException cause) {}
}
