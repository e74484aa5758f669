// Copyright The DecLock authors
// SPDX-License-Identifier: Apache-2.0

package io.declock.internal.memorynode;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.declock.internal.memorynode.MemoryNodeSession.Connection;
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
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The sessions by node id, and the membership made from them. Thread-safe: one lock guards every change; no session is notified while it is
 * held.
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

    private final NodeBasics node;
    private final Above above;
    private final MemoryNodeSettings settings;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final NodeIds ids;

    private final AtomicReferenceArray<@Nullable MemoryNodeSession> sessions;
    /** The records that sessions knew which have ended without leaving. */
    private final KnownRecords leftBehind;

    private final CurrentList list;

    private volatile Membership membership = new Membership(1, List.of());

    SessionTable(NodeBasics node, Above above, MemoryNodeSettings settings, NodeIds ids, CurrentList list) {
        this.node = node;
        this.above = above;
        this.settings = settings;
        this.ids = ids;
        this.list = list;
        this.sessions = new AtomicReferenceArray<>(settings.maxComputeNodes() + 1);
        this.leftBehind = new KnownRecords(settings.records());
    }

    /**
     * Makes a session a member. If the process has a session here already, the process has given that one up (rule C6 of docs/protocol.md):
     * the new session takes its place and its node id in one change of the membership, so that no compute node waits for its lease.
     *
     * @param reachedAt the memory node's own address as the compute node reached it, empty for none
     * @param formerId id that the process had in the former life, 0 for none
     * @param knowsLists whether the compute node knows lists of memory nodes
     * @throws FabricException.Refused if the process may not join, or not before the data plane of its earlier session is cut
     */
    MemoryNodeSession join(
            JoinRequest request, String reachedAt, int formerId, boolean knowsLists, SessionListener listener, long now)
            throws FabricException.Refused {
        cutEarlier(request);
        MemoryNodeSession session;
        MemoryNodeSession earlier;
        lock.lock();
        try {
            earlier = ofProcess(request.processId());
            if (earlier != null && isOvertaken(request, earlier)) {
                throw overtaken(earlier);
            }
            if (earlier != null && !earlier.cut) {
                throw new FabricException.Refused(
                        Reason.NOT_YET,
                        "memory node " + settings.id() + " has not yet cut the earlier session " + earlier.describe()
                                + " of this process");
            }
            NodeSet set = declared(request, knowsLists);
            checkNodeSet(earlier, set);
            Member member = earlier == null ? newMember(request, formerId, now) : successor(earlier, request);
            long lease = Math.min(
                    Math.max(MemoryNodeSettings.SHORTEST_LEASE.toNanos(), request.leaseNanos()),
                    settings.maxLease().toNanos());
            session = new MemoryNodeSession(
                    node,
                    this,
                    above,
                    member,
                    new MemoryNodeSession.SessionRequest(
                            request.processId(), request.attempt(), lease, set, knowsLists),
                    listener,
                    now);
            // It holds nothing here, and is told of the list before it can ask for anything.
            session.declaredList =
                    knowsLists || set.equals(list.set()) ? list.list().number() : 0;
            sessions.set(member.nodeId(), session);
            changeMembership();
            session.granted(joinReply(session, reachedAt));
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
                        membership,
                        nodeSet(null))
                .with(new NodeListState(list.list(), list.awaited(), 0, ""));
    }

    private void cutEarlier(JoinRequest request) throws FabricException.Refused {
        MemoryNodeSession earlier;
        lock.lock();
        try {
            earlier = ofProcess(request.processId());
            if (earlier != null && isOvertaken(request, earlier)) {
                throw overtaken(earlier);
            }
        } finally {
            lock.unlock();
        }
        if (earlier != null) {
            cut(earlier);
        }
    }

    /** A delayed request must not end the session that its process uses by now. */
    private static boolean isOvertaken(JoinRequest request, MemoryNodeSession present) {
        return request.attempt() <= present.attempt();
    }

    private FabricException.Refused overtaken(MemoryNodeSession present) {
        return new FabricException.Refused(
                Reason.NOT_YET,
                "memory node " + settings.id() + " has " + present.describe()
                        + " from a later attempt of this process to join");
    }

    /** Returns the session of a process, or null. */
    private @Nullable MemoryNodeSession ofProcess(long processId) {
        for (MemoryNodeSession session : snapshot()) {
            if (session.processId() == processId) {
                return session;
            }
        }
        return null;
    }

    /**
     * Replaces a process's last incarnation by its next one. Unlike an id that goes to another process, the node id does not rest in
     * between: there is no moment at which it has no owner.
     */
    @GuardedBy("lock")
    private Member successor(MemoryNodeSession earlier, JoinRequest request) {
        leftBehind.addAll(earlier.known());
        earlier.gone = true;
        int id = earlier.member().nodeId();
        return new Member(id, ids.nextIncarnation(id), request.peerAddress(), request.name());
    }

    /** Sets the memory nodes that a session's compute node uses, if no other session has declared others (rule C11). */
    @Override
    public void declareNodeSet(MemoryNodeSession session, NodeSet set) throws FabricException.Refused {
        lock.lock();
        try {
            if (session.knowsLists() && !list.list().isNone() && !set.equals(list.set())) {
                // It has been told of the list meanwhile, and declares it once it has moved its locks.
                return;
            }
            checkNodeSet(session, set);
            session.nodeSet(set);
            if (set.equals(list.set())) {
                session.declaredList = list.list().number();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A compute node uses a list of memory nodes. */
    void declare(MemoryNodeSession session, long number) {
        lock.lock();
        try {
            session.declaredList = Math.max(session.declaredList, number);
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
            int count = 0;
            for (MemoryNodeSession session : snapshot()) {
                count += session.declaredList < number ? 1 : 0;
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Returns a compute node that knows no lists of memory nodes, or an empty text. */
    String oneThatKnowsNoLists() {
        for (MemoryNodeSession session : snapshot()) {
            if (!session.knowsLists()) {
                return session.describe();
            }
        }
        return "";
    }

    /** Returns the set that a join request declares. A compute node that took this memory node for another one notices that itself (rule C8). */
    private NodeSet declared(JoinRequest request, boolean knowsLists) {
        NodeSet set = request.nodeSet();
        boolean isReplaced = knowsLists && !list.list().isNone() && !set.equals(list.set());
        return set.contains(settings.id()) && !isReplaced ? set : NodeSet.NONE;
    }

    private void checkNodeSet(@Nullable MemoryNodeSession asking, NodeSet set) throws FabricException.Refused {
        if (set.isNone()) {
            return;
        }
        NodeSet known = nodeSet(asking);
        if (!known.isNone() && !known.equals(set)) {
            throw new FabricException.Refused(
                    Reason.BAD_NODE_SET,
                    "memory node " + settings.id()
                            + " belongs to another set of memory nodes than this process is configured with; every"
                            + " process must list the same memory nodes");
        }
        if (!set.contains(settings.id())) {
            throw new FabricException.Refused(
                    Reason.BAD_NODE_SET,
                    "memory node " + settings.id()
                            + " is not among the memory nodes that this process uses; give the memory node the id"
                            + " back that it had (declock.memory-node.id), or restart every service that uses it");
        }
    }

    /** Returns the memory nodes that are used together, as configured here or as declared by a session other than one. */
    NodeSet nodeSet(@Nullable MemoryNodeSession except) {
        NodeSet known = list.list().isNone() ? settings.nodeSet() : list.set();
        for (int id = 1; id < sessions.length() && known.isNone(); id++) {
            MemoryNodeSession session = sessions.get(id);
            known = session == null || session == except ? NodeSet.NONE : session.nodeSet();
        }
        return known;
    }

    @GuardedBy("lock")
    private Member newMember(JoinRequest request, int formerId, long now) throws FabricException.Refused {
        int id = ids.takeAgain(formerId) ? formerId : ids.take(now);
        if (id == 0) {
            throw noId();
        }
        return new Member(id, ids.nextIncarnation(id), request.peerAddress(), request.name());
    }

    private FabricException.Refused noId() {
        int connected = 0;
        for (MemoryNodeSession session : snapshot()) {
            connected += session.isConnected() ? 1 : 0;
        }
        int most = settings.maxComputeNodes();
        return connected == most
                ? new FabricException.Refused(
                        Reason.TOO_MANY_COMPUTE_NODES,
                        "memory node " + settings.id() + " serves at most " + most
                                + " compute nodes and all are joined; run fewer instances, or spread their locks over"
                                + " more memory nodes")
                : new FabricException.Refused(
                        Reason.NOT_YET,
                        "memory node " + settings.id()
                                + " has no node id free until the lease of a compute node that has ended runs out");
    }

    @GuardedBy("lock")
    private void changeMembership() {
        List<Member> members = new ArrayList<>();
        for (MemoryNodeSession session : snapshot()) {
            members.add(session.member());
        }
        membership = new Membership(membership.version() + 1, members);
    }

    private void tellOthers(MemoryNodeSession changed) {
        Membership now = membership;
        for (MemoryNodeSession session : snapshot()) {
            if (session != changed && !session.isCut()) {
                Isolated.run(
                        "Notifying session " + session.describe() + " of the members",
                        () -> session.listener().membershipChanged(now));
            }
        }
        above.membersChanged();
    }

    /** Cuts the data plane of a session; it stays a member. */
    @Override
    public void cut(MemoryNodeSession session) {
        cutThen(session, () -> {});
    }

    /** Cuts a session and, when no verb of it can be executed any more, ends its membership; {@code done} runs after that. */
    @Override
    public void leave(MemoryNodeSession session, Runnable done) {
        cutThen(session, () -> {
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
        cutThen(session, () -> {
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

    private void cutThen(MemoryNodeSession session, Runnable then) {
        boolean first;
        boolean now;
        Connection connection;
        lock.lock();
        try {
            first = !session.cutting;
            session.cutting = true;
            now = session.cut;
            connection = session.connection;
            if (!now) {
                session.afterCut.add(then);
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            then.run();
        } else if (first) {
            switch (connection) {
                case ATTACHED -> session.gate.close(() -> cutDataPlane(session));
                case DETACHED -> cutDataPlane(session);
                // The end of the detachment goes on with the cut.
                case DETACHING -> {}
            }
        }
    }

    /** Ends the data plane of a session's connection (rule G1); {@code then} runs when it is quiet, or when the session is cut. */
    @Override
    public void detach(MemoryNodeSession session, Runnable then) {
        boolean first = false;
        boolean now = false;
        lock.lock();
        try {
            if (session.cutting) {
                now = session.cut;
            } else {
                now = session.connection == Connection.DETACHED;
                first = session.connection == Connection.ATTACHED;
                session.connection = now ? Connection.DETACHED : Connection.DETACHING;
            }
            if (!now) {
                (session.cutting ? session.afterCut : session.afterDetachment).add(then);
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            then.run();
        } else if (first) {
            session.gate.close(() -> wasDetached(session));
            above.detached(session);
        }
    }

    private void wasDetached(MemoryNodeSession session) {
        List<Runnable> then;
        boolean cuts;
        lock.lock();
        try {
            session.connection = Connection.DETACHED;
            cuts = session.cutting;
            then = List.copyOf(session.afterDetachment);
            session.afterDetachment.clear();
        } finally {
            lock.unlock();
        }
        if (cuts) {
            cutDataPlane(session);
        }
        then.forEach(step -> Isolated.run("A step after the detachment of session " + session.describe(), step));
    }

    /** Opens a data plane for a session's next connection; returns null if the session is over. */
    @Override
    public @Nullable DataPlaneGate reattach(MemoryNodeSession session) {
        lock.lock();
        try {
            if (session.cutting) {
                return null;
            }
            if (session.connection != Connection.DETACHED) {
                throw new IllegalStateException("session " + session.describe() + " is not detached");
            }
            DataPlaneGate fresh = new DataPlaneGate();
            session.gate = fresh;
            session.connection = Connection.ATTACHED;
            node.counts().count(NodeCounts.Kind.RESUMED);
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    private void cutDataPlane(MemoryNodeSession session) {
        DataPlane plane = session.dataPlane();
        if (plane == null) {
            wasCut(session);
        } else {
            plane.cut(() -> wasCut(session));
        }
    }

    private void wasCut(MemoryNodeSession session) {
        List<Runnable> then;
        lock.lock();
        try {
            session.cut = true;
            then = List.copyOf(session.afterCut);
            session.afterCut.clear();
        } finally {
            lock.unlock();
        }
        then.forEach(step -> Isolated.run("A step after the cut of session " + session.describe(), step));
        above.membersChanged();
    }

    private boolean forget(MemoryNodeSession session) {
        lock.lock();
        try {
            if (session.gone) {
                return false;
            }
            session.gone = true;
            sessions.set(session.member().nodeId(), null);
            // The rest counts from now (rule B16): until now, other compute nodes could find this one among the
            // members.
            ids.free(session.member().nodeId(), node.clock().nanoTime() + session.leaseNanos());
            changeMembership();
        } finally {
            lock.unlock();
        }
        above.mayHaveOrphans();
        return true;
    }

    @Override
    public Membership membership() {
        return membership;
    }

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

    /** Returns the members and which of them know a record. */
    @Override
    public RecordMembers recordMembers(int record) {
        Membership all = membership;
        BitSet users = new BitSet();
        for (Member member : all.members()) {
            MemoryNodeSession session = byNodeId(member.nodeId());
            if (session != null && session.member() == member && session.known().contains(record)) {
                users.set(member.nodeId());
            }
        }
        return RecordMembers.of(all, users);
    }

    /** Returns the session with that node id, or null. */
    @Override
    public @Nullable MemoryNodeSession byNodeId(int nodeId) {
        return nodeId < 1 || nodeId >= sessions.length() ? null : sessions.get(nodeId);
    }

    /** Returns every session that is a member. */
    List<MemoryNodeSession> snapshot() {
        List<MemoryNodeSession> all = new ArrayList<>();
        for (int id = 1; id < sessions.length(); id++) {
            MemoryNodeSession session = sessions.get(id);
            if (session != null) {
                all.add(session);
            }
        }
        return all;
    }
}
