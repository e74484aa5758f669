// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.monitor.Isolated;
import io.declock.spi.FabricException;
import io.declock.spi.FabricException.Reason;
import io.declock.spi.JoinReply;
import io.declock.spi.JoinRequest;
import io.declock.spi.Member;
import io.declock.spi.Membership;
import io.declock.spi.NodeListState;
import io.declock.spi.NodeSet;
import io.declock.spi.RecordMembers;
import io.declock.spi.SessionListener;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets sessions begin and end, and tells the members of every change. A session ceases to be a member only when its
 * {@linkplain SessionDataPlane data plane} is cut. {@link Admission} decides which member a request becomes, {@link DeclaredNodes} judges what
 * sessions declare, and {@link JoinedSessions} has those that there are.
 *
 * <p>Thread-safe: one lock guards every change. No session is cut or notified while it is held.
 */
final class SessionTable implements MemoryNodeSession.Table {
    /** What hears of changes, and serves the sessions beyond this table. It is never called while the lock is held. */
    interface Above extends MemoryNodeSession.Services {
        /** A session has ended, and may have left positions in the queue of any record. */
        void mayHaveOrphans();

        /** The members, or those of them that are not cut, have changed. */
        void membersChanged();

        /** The connection of a session has ended. */
        void detached(MemoryNodeSession session);

        /** A session has ended, and no compute node relies on it any more. */
        void ended(MemoryNodeSession session);
    }

    /** Takes over what a session has reserved. */
    interface Heir {
        /** A session ends. Called with the lock held, before the members change. */
        void ends(MemoryNodeSession session);
    }

    /** An action on a session that is a member. */
    interface OnMember {
        void run() throws FabricException.Refused;
    }

    private final NodeBasics node;
    private final Above above;
    private final MemoryNodeSettings settings;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Admission admission;

    private final CurrentList list;

    /** Changed with the lock held. */
    private final JoinedSessions joined;

    /** Read and changed with the lock held, except for what it says may be read without. */
    private final DeclaredNodes declared;

    /** The records that sessions knew which have ended without leaving. */
    private final KnownRecords leftBehind;

    private volatile Heir heir = session -> {};

    SessionTable(NodeBasics node, Above above, MemoryNodeSettings settings, NodeIds ids, CurrentList list) {
        this.node = node;
        this.above = above;
        this.settings = settings;
        this.list = list;
        this.joined = new JoinedSessions(settings.maxComputeNodes());
        this.admission = new Admission(settings, ids, joined);
        this.declared = new DeclaredNodes(settings, list, joined);
        this.leftBehind = new KnownRecords(settings.records());
    }

    // ---------------------------------------------------------------- the beginning

    /**
     * Makes a session a member. If the process has a session here already, the process has given that one up (rule C6 of docs/protocol.md):
     * the new session takes its place and its node id in one change of the membership, so that no compute node waits for its lease.
     *
     * @param reachedAt the memory node's own address as the compute node reached it, empty for none
     * @param formerId id that the process had in the former life, 0 for none
     * @param abilities what the compute node can do
     * @throws FabricException.Refused if the process may not join, or not before the data plane of its earlier session is cut
     */
    MemoryNodeSession join(
            JoinRequest request,
            String reachedAt,
            int formerId,
            Abilities abilities,
            SessionListener listener,
            long now)
            throws FabricException.Refused {
        cutEarlier(request);
        MemoryNodeSession session;
        MemoryNodeSession earlier;
        lock.lock();
        try {
            earlier = admission.earlier(request);
            if (earlier != null) {
                admission.checkReplaceable(earlier);
            }
            NodeSet set = declared.joining(request, abilities.knowsLists(), earlier);
            Member member = earlier == null
                    ? admission.newcomer(request, formerId, abilities, now)
                    : admission.successor(earlier, request, abilities);
            if (earlier != null) {
                leftBehind.addAll(earlier.known());
                // What it has reserved is the trustee's before it counts as gone (Claims, rule R2).
                heir.ends(earlier);
                earlier.gone = true;
            }
            long lease = Math.min(
                    Math.max(MemoryNodeSettings.SHORTEST_LEASE.toNanos(), request.leaseNanos()),
                    settings.maxLease().toNanos());
            session = new MemoryNodeSession(
                    node,
                    this,
                    above,
                    member,
                    new MemoryNodeSession.SessionRequest(
                            request.processId(), request.attempt(), lease, set, abilities.knowsLists()),
                    listener,
                    now);
            joined.add(session);
            JoinReply reply = joinReply(session, reachedAt);
            // By the list that it is told: another one may come at any moment, of which sessions in the table are told
            // later.
            session.declaredList = DeclaredNodes.joiningList(
                    set, abilities.knowsLists(), reply.nodes().list());
            session.granted(reply);
        } finally {
            lock.unlock();
        }
        if (earlier != null) {
            above.ended(earlier);
            above.mayHaveOrphans();
            tellOfItsEnd(earlier, "its process has joined again");
        }
        tellOthers(session);
        return session;
    }

    // ---------------------------------------------------------------- reservations

    /** Sets what takes over the reservations of sessions that end. */
    void leaveTo(Heir taking) {
        heir = taking;
    }

    /**
     * Makes the memory node's own trustee a member, once.
     *
     * @throws FabricException.Refused if no node id is free
     */
    MemoryNodeSession joinTrustee(SessionListener listener) throws FabricException.Refused {
        MemoryNodeSession trustee;
        lock.lock();
        try {
            MemoryNodeSession present = joined.trustee();
            if (present != null) {
                return present;
            }
            long now = node.clock().nanoTime();
            trustee = new MemoryNodeSession(
                    node,
                    this,
                    above,
                    admission.trustee("memory node " + node.id(), now),
                    new MemoryNodeSession.SessionRequest(0, 0, Long.MAX_VALUE, NodeSet.NONE, true),
                    listener,
                    now);
            joined.addTrustee(trustee);
        } finally {
            lock.unlock();
        }
        tellOthers(trustee);
        return trustee;
    }

    /**
     * Runs an action while a session cannot end.
     *
     * @throws FabricException.Refused if it has ended, or the action refuses
     */
    void whileMember(MemoryNodeSession session, OnMember action) throws FabricException.Refused {
        lock.lock();
        try {
            if (session.gone) {
                throw new FabricException.Refused(
                        Reason.SESSION_OVER,
                        "session " + session.describe() + " with memory node " + settings.id() + " is over");
            }
            action.run();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private JoinReply joinReply(MemoryNodeSession session, String reachedAt) {
        return new JoinReply(
                        node.id(),
                        node.incarnation(),
                        reachedAt,
                        session.member().nodeId(),
                        session.member().incarnation(),
                        node.layout().capacity(),
                        node.region().sizeBytes(),
                        session.leaseNanos(),
                        node.clock().nanoTime(),
                        joined.membership(),
                        declared.set(null))
                .with(new NodeListState(list.list(), list.awaited(), 0, ""));
    }

    private void cutEarlier(JoinRequest request) throws FabricException.Refused {
        MemoryNodeSession earlier;
        lock.lock();
        try {
            earlier = admission.earlier(request);
        } finally {
            lock.unlock();
        }
        if (earlier != null) {
            earlier.cut(() -> {});
        }
    }

    private void tellOthers(MemoryNodeSession changed) {
        Membership now = joined.membership();
        for (MemoryNodeSession session : snapshot()) {
            if (session != changed && !session.isCut()) {
                Isolated.run(
                        "Notifying session " + session.describe() + " of the members",
                        () -> session.listener().membershipChanged(now));
            }
        }
        above.membersChanged();
    }

    // ---------------------------------------------------------------- the end

    /** Cuts a session and, when no verb of it can be executed any more, ends its membership; {@code done} runs after that. */
    @Override
    public void leave(MemoryNodeSession session, Runnable done) {
        session.cut(() -> {
            if (forget(session)) {
                above.ended(session);
                tellOthers(session);
            }
            done.run();
        });
    }

    /** Declares a session dead, because its lease and the margin have run out. */
    void expire(MemoryNodeSession session) {
        expel(session, "its lease ran out", () -> above.ended(session));
    }

    /** Ends a session although its compute node may still trust its lease. */
    void expel(MemoryNodeSession session, String why) {
        expel(session, why, () -> {});
    }

    private void expel(MemoryNodeSession session, String why, Runnable whenForgotten) {
        session.cut(() -> {
            leftBehind.addAll(session.known());
            if (forget(session)) {
                whenForgotten.run();
                tellOthers(session);
                tellOfItsEnd(session, why);
            }
        });
    }

    private void tellOfItsEnd(MemoryNodeSession session, String why) {
        Isolated.run(
                "Notifying session " + session.describe() + " of its end",
                () -> session.listener()
                        .lost(new FabricException(
                                "memory node " + settings.id() + " ended session " + session.describe() + ": " + why)));
    }

    /** Ends the data plane of a session's connection (rule G1); {@code then} runs when it is quiet, or when the session is cut. */
    @Override
    public void detach(MemoryNodeSession session, Runnable then) {
        if (session.plane().detach(then)) {
            above.detached(session);
        }
    }

    @Override
    public void wasCut() {
        above.membersChanged();
    }

    private boolean forget(MemoryNodeSession session) {
        lock.lock();
        try {
            if (session.gone) {
                return false;
            }
            heir.ends(session);
            session.gone = true;
            joined.remove(session);
            // The rest counts from now (rule B16): until now, other compute nodes could find this one among the
            // members.
            admission.ended(session, node.clock().nanoTime() + session.leaseNanos());
        } finally {
            lock.unlock();
        }
        above.mayHaveOrphans();
        return true;
    }

    // ---------------------------------------------------------------- declarations

    /** Sets the memory nodes that a session's compute node uses, if no other session has declared others (rule C11). */
    @Override
    public void declareNodeSet(MemoryNodeSession session, NodeSet set) throws FabricException.Refused {
        lock.lock();
        try {
            declared.declareSet(session, set);
        } finally {
            lock.unlock();
        }
    }

    /** A compute node uses a list of memory nodes. */
    void declare(MemoryNodeSession session, long number) {
        lock.lock();
        try {
            declared.declareList(session, number);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns how many sessions have not declared a list of memory nodes. Takes the lock, so that a session which is just joining has been told
     * of the list or is counted.
     */
    int undeclared(long number) {
        lock.lock();
        try {
            return declared.undeclared(number);
        } finally {
            lock.unlock();
        }
    }

    /** Returns a compute node that knows no lists of memory nodes, or an empty text. */
    String oneThatKnowsNoLists() {
        return declared.oneThatKnowsNoLists();
    }

    /** Returns the memory nodes that are used together, as configured here or as declared by a session other than one. */
    NodeSet nodeSet(MemoryNodeSession except) {
        return declared.set(except);
    }

    // ---------------------------------------------------------------- what sessions leave behind

    /** Returns whether a session that knew a record has ended without leaving, so that its queue may have a position without an owner. */
    boolean mayBeLeftBehind(int record) {
        return leftBehind.contains(record);
    }

    /** Forgets the sessions that knew a record and have ended. */
    void nothingIsLeftBehind(int record) {
        leftBehind.remove(record);
    }

    /** Remembers that a session which knew a record has ended. */
    void somethingMayBeLeftBehind(int record) {
        leftBehind.add(record);
    }

    // ---------------------------------------------------------------- the members

    @Override
    public Membership membership() {
        return joined.membership();
    }

    /** Returns the members and which of them know a record, at one moment: the trustee becomes a user in place of one that ends (rule R2). */
    @Override
    public RecordMembers recordMembers(int record) {
        lock.lock();
        try {
            return joined.membersThatKnow(record);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the session with that node id, or null. */
    @Override
    public @Nullable MemoryNodeSession byNodeId(int nodeId) {
        return joined.byNodeId(nodeId);
    }

    /** Returns the session of every compute node that is a member. */
    List<MemoryNodeSession> snapshot() {
        return joined.snapshot();
    }
}
