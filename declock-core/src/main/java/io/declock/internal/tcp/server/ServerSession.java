// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.tcp.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.DataPlaneGate;
import io.declock.internal.memorynode.MemoryNodeSession;
import io.declock.internal.tcp.wire.ControlFrames;
import io.declock.internal.tcp.wire.InquiryFrames;
import io.declock.internal.tcp.wire.MemberId;
import io.declock.internal.tcp.wire.NodeListFrames;
import io.declock.internal.tcp.wire.PeerFrames;
import io.declock.internal.tcp.wire.Wire;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.LockInquiry;
import io.declock.spi.Membership;
import io.declock.spi.NodeList;
import io.declock.spi.PeerMessage;
import io.declock.spi.SessionListener;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One compute node's session, which has several connections in turn (rules G1 to G3). A connection that breaks is detached: its data
 * plane is closed, and only when that is quiet does the next connection get one. Meanwhile messages to the compute node are dropped.
 * Thread-safe.
 */
final class ServerSession implements SessionListener {
    /** Least time between two frames that tell a compute node of the members. */
    private static final long MEMBERS_PAUSE_NANOS = 10_000_000;
    /** The same for each member: each change concerns all of them. */
    private static final long PAUSE_PER_MEMBER_NANOS = 250_000;

    private final ServerContext server;
    private final ReentrantLock mutex = new ReentrantLock();

    private volatile @Nullable MemoryNodeSession session;
    private volatile byte[] memberKey = {};
    // Written with the mutex held.
    private volatile @Nullable ServerConnection connection;

    @GuardedBy("mutex")
    private int attempt;

    /** The compute node was told that it has joined; before that, nothing else may be sent to it. */
    private volatile boolean open;

    private volatile boolean brokenOff;

    private final AtomicReference<@Nullable Membership> untold = new AtomicReference<>();
    private final AtomicReference<@Nullable NodeList> untoldNodes = new AtomicReference<>();
    private final AtomicBoolean tellPlanned = new AtomicBoolean();
    private volatile long toldAt = System.nanoTime() - MEMBERS_PAUSE_NANOS;

    ServerSession(ServerContext server, ServerConnection connection) {
        this.server = server;
        this.connection = connection;
    }

    void joined(MemoryNodeSession joined) {
        memberKey = server.tickets().keyOf(joined.member());
        session = joined;
        server.opened(memberId(joined), this);
        if (joined.isCut()) {
            // The memory node may have told of the end before the session was in the table, and tells it only once.
            ended();
        }
    }

    /** The compute node was told that it has joined. */
    void told() {
        open = true;
        tellMembers();
        tellNodes();
    }

    @Override
    public void nodesChanged(NodeList list) {
        untoldNodes.accumulateAndGet(
                list, (had, now) -> had != null && now != null && had.number() > now.number() ? had : now);
        tellNodes();
    }

    /** Sends the latest list of memory nodes that was not sent. */
    void tellNodes() {
        ServerConnection present = open ? connection : null;
        NodeList latest = present == null ? null : untoldNodes.getAndSet(null);
        if (present != null && latest != null) {
            present.send(out -> NodeListFrames.writeNodes(out, latest));
        }
    }

    private static MemberId memberId(MemoryNodeSession session) {
        return new MemberId(session.member().nodeId(), session.member().incarnation());
    }

    private MemoryNodeSession session() {
        MemoryNodeSession known = session;
        if (known == null) {
            throw new IllegalStateException("the session is not joined yet");
        }
        return known;
    }

    /** Returns the key that proves the right to resume the session. */
    byte[] memberKey() {
        return memberKey;
    }

    /**
     * A connection has ended. If it was the session's, the session is detached from it, or cut if its compute node broke the protocol.
     *
     * @param broken the compute node broke the protocol, and its session ends for that
     */
    void disconnected(ServerConnection ended, boolean broken) {
        mutex.lock();
        try {
            if (connection != ended) {
                return;
            }
            connection = null;
        } finally {
            mutex.unlock();
        }
        if (broken) {
            session().disconnected();
        } else {
            session().detach(() -> {});
        }
    }

    /**
     * Goes on with the session on another connection, whose compute node has proved that the session is its own. The memory node may not
     * have noticed yet that the last connection is broken.
     *
     * @param number number of the attempt
     * @param oldest number of the oldest chain whose answer has not arrived
     */
    void resume(ServerConnection next, int number, int oldest) {
        ServerConnection last = null;
        boolean overtaken;
        mutex.lock();
        try {
            overtaken = number - attempt <= 0;
            if (!overtaken) {
                attempt = number;
                last = connection;
                connection = null;
            }
        } finally {
            mutex.unlock();
        }
        if (overtaken) {
            next.refuse(Reason.NOT_YET, "a later attempt to resume the session is under way");
            return;
        }
        if (last != null) {
            last.fail(null);
        }
        session().detach(() -> {
            try {
                next.channel().eventLoop().execute(() -> reattach(next, number, oldest));
            } catch (RejectedExecutionException e) {
                // The event loop has ended, and the connection with it.
            }
        });
    }

    private void reattach(ServerConnection next, int number, int oldest) {
        if (!next.isOpen()) {
            return;
        }
        DataPlaneGate open = null;
        mutex.lock();
        try {
            if (number == attempt && session().executed().remembers(oldest)) {
                open = session().reattach();
                connection = open == null ? null : next;
            }
        } finally {
            mutex.unlock();
        }
        if (open == null) {
            next.refuse(Reason.SESSION_OVER, "the session to be resumed is over");
            return;
        }
        next.resumed(this, session(), open, oldest);
    }

    /**
     * Tells of the members at once, or after a short while if the compute node was told a moment ago: when many processes start together,
     * each would cause a frame to all others. A compute node that does not read is told once it reads again.
     */
    @Override
    public void membershipChanged(Membership membership) {
        untold.accumulateAndGet(
                membership, (had, now) -> had != null && now != null && had.version() > now.version() ? had : now);
        ServerConnection present = connection;
        if (present == null || present.isStalled()) {
            return;
        }
        long pause = Math.max(MEMBERS_PAUSE_NANOS, membership.members().size() * PAUSE_PER_MEMBER_NANOS);
        long wait = toldAt + pause - System.nanoTime();
        if (wait <= 0) {
            tellMembers();
        } else if (tellPlanned.compareAndSet(false, true)) {
            present.later(wait, this::tellAsPlanned);
        }
    }

    private void tellAsPlanned() {
        tellPlanned.set(false);
        ServerConnection present = connection;
        if (present != null && !present.isStalled()) {
            tellMembers();
        }
    }

    /** Sends the latest membership that was not sent. */
    void tellMembers() {
        ServerConnection present = open ? connection : null;
        Membership latest = present == null ? null : untold.getAndSet(null);
        if (present != null && latest != null) {
            toldAt = System.nanoTime();
            present.send(out -> present.tellMembers(latest, out));
        }
    }

    @Override
    public void peerMessage(PeerMessage message) {
        ServerConnection present = open ? connection : null;
        // Best effort: unread messages must not pile up.
        if (present != null && !present.isStalled()) {
            PeerMessage known = PeerFrames.inVersion(message, present.version());
            present.send(out -> PeerFrames.writePeerMessage(out, known));
        }
    }

    @Override
    public void reclaimProposed(long round, long[] records) {
        ServerConnection present = open ? connection : null;
        if (present != null) {
            present.send(out -> ControlFrames.writeReclaimProposal(out, round, records));
        }
    }

    /** A compute node of an older release has no answer, and is asked nothing. */
    @Override
    public void inquired(LockInquiry inquiry) {
        ServerConnection present = open ? connection : null;
        if (present != null && present.version() >= Wire.INQUIRIES_VERSION) {
            present.send(out -> InquiryFrames.writeLockInquiry(out, inquiry));
        }
    }

    @Override
    public void lost(FabricException cause) {
        ended();
        ServerConnection present = connection;
        if (present != null) {
            present.send(out -> ControlFrames.writeGoodbye(out, cause.getMessage()));
            present.fail(cause);
        }
    }

    @Override
    public void brokenOff(FabricException cause) {
        brokenOff = true;
        ended();
        ServerConnection present = connection;
        if (present != null) {
            // Without a GOODBYE, which would end the session for good.
            present.fail(cause);
        }
    }

    /** Returns whether the session broke off, so that its compute node must not be told that it is over. */
    boolean isBrokenOff() {
        return brokenOff;
    }

    /** The session is over: it cannot be resumed any more. */
    void ended() {
        MemoryNodeSession known = session;
        if (known != null) {
            server.closed(memberId(known), this);
        }
    }
}
